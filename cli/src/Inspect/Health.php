<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/** A sentence about the segment, from its counters. `larder doctor`, `larder top` and the page print the same one. */
final class Health
{
    public const TOO_SMALL = 'TOO SMALL';
    public const POLLUTED = 'POLLUTED';
    public const HEALTHY = 'HEALTHY';
    public const ROOM_LEFT = 'ROOM LEFT';
    public const NO_VERDICT = 'NO VERDICT';

    /** It is normal that a smaller share of the stored values is evicted for memory, and of the gets misses. */
    private const FEW_EVICTIONS = 0.01;
    private const FEW_MISSES = 0.02;

    private function __construct(
        public readonly string $word,
        public readonly string $sentence,
        /** True if there is something to do. */
        public readonly bool $isIll,
    ) {}

    /** @param \Closure(): array<array-key, array{int, int, int, int, int}> $groups of Prefixes::all(), if they matter */
    public static function ofSegment(Counters $counters, \Closure $groups, ?Prediction $prediction): self
    {
        /** @var array{size?: int} $info */
        $info = larder_info(false);

        return self::verdict($counters, $groups, $prediction, $info['size'] ?? 0, Remedy::larger(...));
    }

    /**
     * @param \Closure(): array<array-key, array{int, int, int, int, int}> $groups as in ofSegment()
     * @param Prediction|null $prediction null: the counters alone decide
     * @param int $size bytes of the segment
     * @param \Closure(int): string $remedy how to make it so many bytes large
     */
    public static function verdict(
        Counters $counters,
        \Closure $groups,
        ?Prediction $prediction,
        int $size,
        \Closure $remedy,
    ): self {
        $since = \sprintf(' Counted since the cache was made %s ago.', Text::time($counters->age));
        $gets = $counters->hits + $counters->misses;
        // Else it was filled for gets to come, and says nothing yet.
        $isRead = 2 * $gets >= $counters->stores;
        $isMuch = $counters->room > self::FEW_EVICTIONS * $counters->stores;
        $polluting = $isMuch && $isRead ? self::polluting($counters, $groups()) : null;
        if ($polluting !== null) {
            $more = $prediction?->gains() ?? 'More memory helps only if they are read later.';

            return new self(self::POLLUTED, self::polluted($polluting, $counters) . $more . $since, true);
        }
        $wanted = $prediction?->wanted();
        if ($prediction !== null && $wanted !== null) {
            return new self(self::TOO_SMALL, "{$prediction->wouldHit($wanted)} {$remedy($wanted)}.", true);
        }
        if ($counters->refused > 0) {
            $sentence = \sprintf(
                '%s stores were refused, as readers held the memory: top shows which. %s.',
                number_format($counters->refused),
                $remedy(2 * $size),
            );

            return new self(self::NO_VERDICT, $sentence . $since, self::losesMost($counters));
        }
        if ($prediction !== null) {
            return new self(self::HEALTHY, $prediction->gains(), false);
        }
        if ($counters->evicted === 0) {
            return new self(self::ROOM_LEFT, 'Nothing was evicted for memory so far.', false);
        }

        return self::byCounters($counters, $isRead, $isMuch, $since, $remedy(2 * $size));
    }

    /** Before there is a prediction. */
    private static function byCounters(Counters $counters, bool $isRead, bool $isMuch, string $since, string $remedy): self
    {
        // Memory can turn no more than the misses into hits, whatever they are due to.
        $missed = $counters->misses / max(1, $counters->hits + $counters->misses);
        if ($isRead && $missed < self::FEW_MISSES) {
            return new self(self::HEALTHY, \sprintf(
                '%.1f %% of the gets hit; more memory could raise that by %.1f points at most.',
                100 * (1 - $missed),
                100 * $missed,
            ) . $since, false);
        }
        $read = $counters->evictedRead();
        $within = $counters->evictedWithin();
        if ($isMuch && $read !== null && $read >= 0.5 && $within !== null) {
            return new self(self::TOO_SMALL, \sprintf(
                'Half of what was evicted was stored, or moved, less than %s before, and %.0f %% of it had been read. %s.',
                Text::time($within),
                100 * $read,
                $remedy,
            ) . $since, true);
        }

        return new self(self::NO_VERDICT, \sprintf(
            'Of what was stored, %.0f %% was evicted. Whether more memory would help is known after more gets%s.%s',
            100 * min(1, $counters->evicted / max(1, $counters->stores)),
            self::losesMost($counters) ? '. If all of it is to stay: ' . lcfirst($remedy) : '',
            $since,
        ), self::losesMost($counters));
    }

    /** True if most stored entries were evicted for memory, or refused: then this is hardly a cache. */
    private static function losesMost(Counters $counters): bool
    {
        return 2 * ($counters->evicted + $counters->refused) > $counters->stores + $counters->refused;
    }

    /**
     * @param array<array-key, array{int, int, int, int, int}> $groups
     * @return array{string, float}|null of Prefixes::polluting()
     */
    private static function polluting(Counters $counters, array $groups): ?array
    {
        $entries = array_sum(array_column($groups, 0));

        return $counters->room >= Prefixes::LAPS * $entries ? Prefixes::polluting($groups) : null;
    }

    /** @param array{string, float} $polluting */
    private static function polluted(array $polluting, Counters $counters): string
    {
        [$prefix, $share] = $polluting;
        $read = $counters->evictedRead();
        // Visitors may choose keys, and somebody may copy this into a shell.
        $isPlain = preg_match('~^[\w:/.-]{1,30}$~D', $prefix) === 1;

        return \sprintf(
            'Keys that begin with %s take %.0f %% of the memory, and hardly any was read more than two or three times.%s '
                . 'Do they hold a session id or a time? To see some: larder keys%s -n 5. ',
            Text::key($prefix, 30),
            100 * $share,
            $read === null || $read >= 0.5
                ? ''
                : \sprintf(' Of what was evicted, %.0f %% had not been read again.', 100 * (1 - $read)),
            $isPlain ? " $prefix" : '',
        );
    }
}
