<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Contract\Store;

/** Measures one store in this process. */
final class Benchmark
{
    /** Keys that an operation goes through in turn, as long as their values are small. */
    private const KEYS = 16;

    /** Bytes of the values under all keys: little enough to stay in a processor's cache, as one key's value would. */
    private const STORED_BYTES = 256 * 1024;

    /** Bytes of the values that a batch holds on to. */
    private const HELD_BYTES = 2 * 1024 * 1024;

    private const MOST_OPERATIONS = 2048;
    private const FEWEST_BATCHES = 5;
    private const MOST_BATCHES = 50;

    public function __construct(private readonly Store $store, private readonly TimeBudget $effort) {}

    public function measure(Value $value, Operation $operation): Measurement
    {
        $tally = new FailureCount();
        $keys = self::keys($value);

        try {
            $nanoseconds = $this->time($this->loop($operation, $value, $keys, $tally), $tally);
            foreach ($keys as $key) {
                $this->store->delete($key);
            }
        } catch (\Throwable $thrown) {
            $tally->add(\sprintf('throws %s: %s', $thrown::class, $thrown->getMessage()));
        }

        return new Measurement($value->name, $operation, $tally->failures === 0 ? $nanoseconds ?? null : null, $tally->failures, $tally->problem);
    }

    /** @param non-empty-list<string> $keys */
    private function loop(Operation $operation, Value $value, array $keys, FailureCount $tally): Loop
    {
        if ($operation === Operation::Set) {
            return new SetLoop($this->store, $keys, $value);
        }
        $values = [];
        foreach ($keys as $i => $key) {
            $values[] = $value->make($i);
            if (!$this->store->set($key, $values[$i])) {
                $tally->add('refuses values');
            }
        }

        return new GetLoop($this->store, $keys, $values);
    }

    /** @return float|null nanoseconds of one operation; null when the store failed */
    private function time(Loop $loop, FailureCount $tally): ?float
    {
        [$operations, $batch] = $this->warmUp($loop, $tally);
        $batches = max(self::FEWEST_BATCHES, min(self::MOST_BATCHES, intdiv($this->effort->total, max(1, $batch))));
        $full = $empty = [];
        while (\count($full) < $batches && $tally->failures === 0) {
            $empty[] = $loop->runEmpty();
            $full[] = $loop->run();
            $loop->check($tally);
        }

        return $full === [] ? null : max(0.0, (Statistics::median($full) - Statistics::median($empty)) / $operations);
    }

    /**
     * Finds how many operations make a batch that takes long enough and does not hold too much memory.
     *
     * @return array{int, int} operations of a batch, nanoseconds that it takes
     */
    private function warmUp(Loop $loop, FailureCount $tally): array
    {
        $before = memory_get_usage();
        for ($operations = 1;; $operations *= 2) {
            $loop->resize($operations);
            $batch = \PHP_INT_MAX;
            // The first may be slow for reasons of its own: a connection, a file not yet compiled, memory never used.
            for ($try = 0; $try < 2; ++$try) {
                $batch = min($batch, $loop->run());
                $loop->check($tally);
            }
            if ($tally->failures > 0 || $batch >= $this->effort->batch || $operations >= self::MOST_OPERATIONS
                || memory_get_usage() - $before >= self::HELD_BYTES / 2) {
                return [$operations, $batch];
            }
        }
    }

    /** @return non-empty-list<string> */
    private static function keys(Value $value): array
    {
        $count = max(2, min(self::KEYS, intdiv(self::STORED_BYTES, $value->bytes)));

        return array_map(
            static fn(int $i): string => \sprintf('compare-%s-%d', str_replace(' ', '', $value->name), $i),
            range(1, $count),
        );
    }
}
