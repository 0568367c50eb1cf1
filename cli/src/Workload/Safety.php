<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Measure\Unit;

/** Checks that values are correct while eight workers of PHP-FPM read and write the same few keys. */
final class Safety implements Suite
{
    /** Counters of ConsistencyChecker, each per million operations. */
    public const COUNTS = [
        'lost' => 'lost of 1,000,000',
        'torn' => 'torn of 1,000,000',
        'wrong' => "another key's of 1,000,000",
        'old' => 'replaced before of 1,000,000',
        'refused' => 'sets refused of 1,000,000',
    ];
    public const OPERATIONS = 'operations with checks';

    /** @param list<string> $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly array $stores = Stores::SHARED,
        private readonly int $milliseconds = 300,
        private readonly int $writers = 8,
    ) {}

    public static function subject(string $store, ?string $connection, string $operation, int $writers): Subject
    {
        return new Subject(
            \sprintf('safety: %d writers under PHP-FPM', $writers),
            $store,
            $connection,
            'up to 4k',
            null,
            $operation,
            $operation === self::OPERATIONS ? Unit::OperationsPerSecond : Unit::Count,
        );
    }

    public function blocks(\Closure $notMeasured): array
    {
        $blocks = [];
        foreach (Stores::targets(
            $this->locations,
            $this->stores,
            fn(string $store, ?string $connection): Subject
                => self::subject($store, $connection, self::OPERATIONS, $this->writers),
            $notMeasured,
        ) as $target) {
            $blocks[] = $this->block($target);
            if ($target->store === 'yac') {
                // Shows that a program that uses Yac directly reads damaged values, which Larder's store turns into
                // misses.
                $blocks[] = $this->block(new Target('yac itself', null, RawYac::class, $target->kind, $target->php));
            }
        }

        return $blocks;
    }

    private function block(Target $target): SafetyBlock
    {
        return new SafetyBlock(
            $target,
            $this->locations->disk('fpm-' . strtr($target->store, ' ', '-')),
            $this->writers,
            $this->milliseconds,
        );
    }
}
