<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/**
 * All entries of this process's APCu. On the command line it is a memory of its own, and empty: --fcgi is for that of a
 * pool.
 */
final class ApcuEntries implements ServerEntries
{
    /** Before any unix time that a machine has today. */
    private const FIRST_TIME = 1_000_000_000;

    public function entries(): iterable
    {
        $what = \APC_ITER_KEY | \APC_ITER_MEM_SIZE | \APC_ITER_TTL | \APC_ITER_CTIME | \APC_ITER_NUM_HITS;
        /** @var array{key: string, mem_size: int, ttl: int, creation_time: int, num_hits: int} $info */
        foreach (new \APCUIterator(null, $what) as $info) {
            $ttl = self::left($info['ttl'], $info['creation_time']);
            if ($ttl >= 0.0) {
                yield [
                    'name' => $info['key'],
                    'size' => $info['mem_size'],
                    'ttl' => $ttl,
                    'used' => $info['num_hits'] > 0,
                    'kind' => self::STRING,
                ];
            }
        }
    }

    public function values(array $names): iterable
    {
        foreach ($names as $name) {
            /** @var array{ttl: int, creation_time: int}|null $about */
            $about = apcu_key_info($name);

            try {
                $value = @apcu_fetch($name, $found);
            } catch (\Throwable) {
                continue; // its class refuses
            }
            if ($found === true && $about !== null) {
                yield $name => [$value, max(0.0, self::left($about['ttl'], $about['creation_time']))];
            }
        }
    }

    public function delete(array $names): int
    {
        return \count(array_filter($names, static fn(string $name): bool => apcu_delete($name) === true));
    }

    public function figures(): array
    {
        /**
         * @var array{
         *     num_hits: int|float, num_misses: int|float, num_inserts: int|float, num_entries: int, mem_size: int|float,
         * } $info
         */
        $info = apcu_cache_info(true);
        /** @var array{num_seg: int, seg_size: int|float} $memory */
        $memory = apcu_sma_info(true);

        return [
            'version' => 'APCu ' . phpversion('apcu'),
            'hits' => (int) $info['num_hits'],
            'misses' => (int) $info['num_misses'],
            'stores' => (int) $info['num_inserts'],
            'evicted' => 0,
            'entries' => $info['num_entries'],
            'bytes' => (int) $info['mem_size'],
            'limit' => (int) ($memory['num_seg'] * $memory['seg_size']),
        ];
    }

    /** @return float seconds; 0.0 for never, negative if it has expired */
    private static function left(int $ttl, int $since): float
    {
        // Some versions of APCu count from the start of the machine.
        $now = $since < self::FIRST_TIME ? hrtime(true) / 1e9 : microtime(true);
        $left = $since + $ttl - $now;

        return $ttl === 0 ? 0.0 : ($left > 0.0 ? $left : -1.0);
    }
}
