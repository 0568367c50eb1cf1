<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Timing\Statistics;
use Larder\Cli\Timing\Timer;
use Larder\Cli\Timing\Work;
use Larder\Contract\Store;

/** Measures one store in this process. */
final class Benchmark
{
    /** Number of keys that an operation uses in turn, if their values are small. */
    private const KEYS = 16;

    /** Bytes of all stored values: few enough to stay in a processor's cache, as the value of a single key would. */
    private const STORED_BYTES = 256 * 1024;

    /** Bytes of values that a batch may hold before it ends. */
    private const HELD_BYTES = 1024 * 1024;

    private const MOST_OPERATIONS = 2048;
    private const FEWEST_BATCHES = 5;
    private const MOST_BATCHES = 50;

    public function __construct(private readonly Store $store, private readonly TimeBudget $budget) {}

    public function measure(Value $value, Operation $operation): Measurement
    {
        $keys = self::keys($value);

        try {
            $timer = new Timer($this->budget->batch, self::MOST_OPERATIONS, self::HELD_BYTES);
            $nanoseconds = $timer->measureFor(
                $this->work($operation, $value, $keys),
                $this->budget->total,
                self::FEWEST_BATCHES,
                self::MOST_BATCHES,
            );
            foreach ($keys as $key) {
                $this->store->delete($key);
            }
        } catch (WrongResults $wrong) {
            return new Measurement($value->name, $operation, null, $wrong->operations, $wrong->getMessage());
        } catch (\Throwable $thrown) {
            return new Measurement(
                $value->name,
                $operation,
                null,
                1,
                \sprintf('throws %s: %s', $thrown::class, $thrown->getMessage()),
            );
        }

        return new Measurement(
            $value->name,
            $operation,
            Statistics::median($nanoseconds),
            drift: Statistics::drift($nanoseconds),
        );
    }

    /** @param non-empty-list<string> $keys */
    private function work(Operation $operation, Value $value, array $keys): Work
    {
        if ($operation === Operation::Set) {
            return new SetLoop($this->store, $keys, $value);
        }
        $values = $problems = [];
        foreach ($keys as $i => $key) {
            $values[] = $value->make($i);
            if (!$this->store->set($key, $values[$i])) {
                $problems[] = 'refuses values';
            }
        }
        WrongResults::throwIfAny($problems);

        return new GetLoop($this->store, $keys, $values);
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
