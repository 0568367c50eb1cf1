<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Internal\Key\ReservedKey;

/**
 * Earlier values of the counters, in one entry of the library: 40 samples, 1.3 KB. Each look at the figures adds one,
 * at most one a minute. When it is full, every second sample of the older half is dropped, so it reaches hours back.
 */
final class History
{
    private const SAMPLES = 40;
    private const SECONDS = 60;
    private const FIELDS = 4;

    public static function note(Counters $now): void
    {
        $key = ReservedKey::history();
        if (time() < (self::samples(larder_peek($key))[0][0] ?? 0) + self::SECONDS) {
            return;
        }
        $cas = null;
        // Fetched, not peeked at: eviction moves what is used.
        $samples = self::samples(larder_fetch_cas($key, null, $cas));
        array_unshift($samples, [time(), $now->hits, $now->misses, $now->evicted]);
        if (\count($samples) > self::SAMPLES) {
            $isKept = static fn(int $i): bool => $i < self::SAMPLES / 2 || $i % 2 === 0;
            $samples = array_filter($samples, $isKept, \ARRAY_FILTER_USE_KEY);
        }
        $packed = pack('J*', ...array_merge(...$samples));
        // Another process may be first.
        $cas === null ? larder_add($key, $packed) : larder_store_cas($key, $packed, $cas);
    }

    /** @return list<array{from: int, to: int, gets: int, hits: int, evicted: int}> the oldest first, up to now */
    public static function until(Counters $now): array
    {
        $spans = [];
        $last = [time(), $now->hits, $now->misses, $now->evicted];
        foreach (self::samples(larder_peek(ReservedKey::history())) as $sample) {
            $to = $last[0];
            $hits = $last[1] - $sample[1];
            $misses = $last[2] - $sample[2];
            $evicted = $last[3] - $sample[3];
            if ($to > $sample[0] && min($hits, $misses, $evicted) >= 0) {
                $gets = $hits + $misses;
                array_unshift($spans, ['from' => $sample[0], 'to' => $to, ...compact('gets', 'hits', 'evicted')]);
            }
            $last = $sample;
        }

        return $spans;
    }

    /** @return list<array{int, int, int, int}> the newest first: time, hits, misses, evicted */
    private static function samples(mixed $packed): array
    {
        if (!\is_string($packed) || $packed === '' || \strlen($packed) % (8 * self::FIELDS) !== 0) {
            return [];
        }

        /** @var list<array{int, int, int, int}> */
        return array_chunk(array_values((array) unpack('J*', $packed)), self::FIELDS);
    }
}
