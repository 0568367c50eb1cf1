<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Measure\Unit;
use Larder\Cli\System\CpuAffinity;

/** Latency of single operations while several processes read and write the same keys, and their throughput. */
final class Latency implements Suite
{
    public const BOTH = 'get and set';
    public const LOST = 'lost or refused of 1,000,000';
    private const READS = [100, 99, 90, 50];

    /** @param list<string> $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly array $stores = Stores::SHARED,
        private readonly int $milliseconds = 50,
    ) {}

    /** @param array<string, string> $settings */
    public static function subject(string $store, ?string $connection, string $operation, array $settings = []): Subject
    {
        [$table, $unit] = match ($operation) {
            self::BOTH => ['latency: throughput', Unit::OperationsPerSecond],
            self::LOST => ['latency: losses', Unit::Count],
            default => ['latency: single operations', Unit::Nanoseconds],
        };

        return new Subject($table, $store, $connection, '1k', Traffic::VALUE_BYTES, $operation, $unit, $settings);
    }

    public function blocks(\Closure $notMeasured): array
    {
        $targets = Stores::targets(
            $this->locations,
            $this->stores,
            static fn(string $store, ?string $connection): Subject => self::subject($store, $connection, 'get'),
            $notMeasured,
        );

        return array_map(fn(Target $target): TaskBlock => new TaskBlock(
            new LatencyTask(
                $target->store,
                $target->connection,
                $target->address,
                self::mixes(max(1, \count(CpuAffinity::allowed()))),
                $this->milliseconds,
            ),
            $target->php,
        ), $targets);
    }

    /**
     * All mixes with one process, one a core and two a core, on keys of which some are popular; and one a core on keys
     * that are equally popular.
     *
     * @return list<array{int, Keys, int}>
     */
    private static function mixes(int $cores): array
    {
        $mixes = [];
        foreach (self::READS as $reads) {
            foreach (array_unique([1, $cores, 2 * $cores]) as $processes) {
                $mixes[] = [$reads, Keys::Zipf, $processes];
            }
            $mixes[] = [$reads, Keys::Uniform, $cores];
        }

        return $mixes;
    }
}
