<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\StoreLocations;
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
    ): Subject {
        return $operation === self::HITS
            ? new Subject('pressure: hit rate', $store, $connection, '4k', $bytes, $operation, Unit::Percent, $settings)
            : new Subject('pressure: losses', $store, $connection, '4k', $bytes, $operation, Unit::Count, $settings);
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
        }

        return $blocks;
    }
}
