<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Suite;
use Larder\Cli\Measure\Unit;
use Larder\Cli\System\CpuAffinity;

/**
 * Latency under a constant load: operations start at fixed times, like requests of visitors, and wait if the store is
 * behind. Each is timed from its scheduled start. (A loop that waits for the store before it asks again omits just
 * those that would have waited: "coordinated omission".)
 */
final class Rate implements Suite
{
    public const REACHED = 'operations done';
    public const STORES = ['larder', 'apcu', 'memcached', 'redis', 'sqlite', 'file'];
    private const RATES = [1_000, 10_000, 100_000];

    /** @param list<string> $stores */
    public function __construct(
        private readonly StoreLocations $locations,
        private readonly array $stores = self::STORES,
        private readonly int $milliseconds = 150,
    ) {}

    /** @param array<string, string> $settings */
    public static function subject(string $store, ?string $connection, string $operation, array $settings = []): Subject
    {
        [$table, $unit] = match ($operation) {
            self::REACHED => ['rate: operations done', Unit::OperationsPerSecond],
            Latency::LOST => ['rate: losses', Unit::Count],
            default => ['rate: latency from the intended start', Unit::Nanoseconds],
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
        // Between two starts, a process polls the clock, so servers need the other cores.
        $processes = max(1, intdiv(\count(CpuAffinity::allowed()), 2));

        return array_map(fn(Target $target): TaskBlock => new TaskBlock(
            new RateTask(
                $target->store,
                $target->connection,
                $target->address,
                self::RATES,
                $processes,
                $this->milliseconds,
            ),
            $target->php,
        ), $targets);
    }
}
