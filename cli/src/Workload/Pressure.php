<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Measure\Unit;
use Larder\Cli\System\ServerFailed;

/** Hit rates of stores when the data do not fit. Some keys are popular, and a missing value is stored again. */
final class Pressure implements Suite
{
    public const HITS = 'hits';
    public const REFUSED = 'sets refused of 1,000';
    public const LOST = 'missing right after set, of 1,000';

    /** Rows of mixed values, which take less memory in some forms than in others. */
    private const FORMS = [
        'larder' => [['form' => "PHP's own"], ['form' => 'compact']],
        'apcu' => [['serializer' => 'php'], ['serializer' => 'igbinary']],
        'redis' => [['serializer' => 'igbinary']],
    ];

    /** @param list<string>|null $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly ?array $stores = null,
        private readonly int $mebibytes = 16,
        private readonly int $gets = 5_000,
    ) {}

    /** @param array<string, string> $settings */
    public static function subject(
        string $store,
        ?string $connection,
        string $operation,
        ?int $bytes = null,
        array $settings = [],
        string $value = '4k',
    ): Subject {
        [$table, $unit] = $operation === self::HITS
            ? ['pressure: hit rate', Unit::Percent]
            : ['pressure: losses', Unit::Count];

        return new Subject(
            $value === '4k' ? $table : $table . ', mixed values',
            $store,
            $connection,
            $value,
            $bytes,
            $operation,
            $unit,
            $settings,
        );
    }

    public function blocks(\Closure $notMeasured): array
    {
        $blocks = [];
        foreach (Stores::targets(
            $this->locations,
            $this->stores ?? Size::stores(),
            static fn(string $store, ?string $connection): Subject => self::subject($store, $connection, self::HITS),
            $notMeasured,
        ) as $target) {
            try {
                $sized = Size::of($target, $this->mebibytes, $this->locations);
            } catch (ServerFailed $failed) {
                $notMeasured(self::subject($target->store, $target->connection, self::HITS), $failed->getMessage());
                continue;
            }
            $blocks[] = new TaskBlock(
                new PressureTask(
                    $target->store,
                    $target->connection,
                    $sized->address,
                    $this->mebibytes << 20,
                    [0.5, 1.0, 2.0, 10.0],
                    $this->gets,
                    $this->gets,
                ),
                $sized->php,
            );
            foreach (self::FORMS[$target->store] ?? [] as $form) {
                if (\in_array('igbinary', $form, true) && !\extension_loaded('igbinary')) {
                    $notMeasured(
                        self::subject($target->store, $target->connection, self::HITS, null, $form, 'mixed'),
                        'the PHP extension igbinary is not loaded',
                    );
                    continue;
                }
                $blocks[] = $this->mixed($sized, $form);
            }
        }

        return $blocks;
    }

    /** @param array<string, string> $form */
    private function mixed(Target $sized, array $form): TaskBlock
    {
        return new TaskBlock(
            new PressureTask(
                $sized->store,
                $sized->connection,
                $sized->address . ($sized->store === 'redis' ? '&' . http_build_query($form) : ''),
                $this->mebibytes << 20,
                [2.0, 4.0, 10.0],
                2 * $this->gets,
                // APCu removes all entries when it is full, so the gets must see this several times.
                4 * $this->gets,
                $form,
            ),
            match ($sized->store) {
                'larder' => $sized->php->with(['larder.compact' => $form['form'] === 'compact' ? '1' : '0']),
                'apcu' => $sized->php->with(['apc.serializer' => $form['serializer']]),
                default => $sized->php,
            },
        );
    }
}
