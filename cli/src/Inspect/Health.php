<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/** A sentence about the segment, from its counters. `larder doctor` and `larder top` print the same one. */
final class Health
{
    public const TOO_SMALL = 'TOO SMALL';

    /** It is normal that a smaller share of the stored values is evicted for memory, and of the gets misses. */
    public const FEW_EVICTIONS = 0.01;
    private const FEW_MISSES = 0.02;

    private function __construct(
        public readonly string $word,
        public readonly string $sentence,
        /** True if there is something to do. */
        public readonly bool $isIll,
    ) {}

    /**
     * @param \Closure(): array<array-key, array{int, int, int, int}> $groups those of Prefixes::all(), if they matter
     * @return self|null null: nothing was evicted, or too little is known
     */
    public static function verdict(Counters $counters, \Closure $groups): ?self
    {
        $read = $counters->evictedRead();
        $within = $counters->evictedWithin();
        $since = \sprintf(' Counted since the cache was made %s ago.', Text::time($counters->age));
        $isMuch = $counters->room > self::FEW_EVICTIONS * $counters->stores;
        $polluting = $isMuch && $read !== null && $read < 0.5 ? Prefixes::polluting($groups()) : null;
        if ($read !== null && $polluting !== null) {
            return new self('POLLUTED', self::polluted($polluting, $read) . $since, true);
        }
        // Memory can turn no more than the misses into hits, whatever they are due to.
        $gets = $counters->hits + $counters->misses;
        $missed = $counters->misses / max(1, $gets);
        $isRead = $gets >= $counters->stores;
        if ($counters->room > 0 && $isRead && $missed < self::FEW_MISSES && $counters->refused === 0) {
            return new self('HEALTHY', \sprintf(
                '%.1f %% of the gets hit; more memory could raise that by %.1f points at most.',
                100 * (1 - $missed),
                100 * $missed,
            ) . $since, false);
        }
        if (!$isMuch || $read === null || $read < 0.5 || $within === null) {
            return null;
        }

        return new self(self::TOO_SMALL, \sprintf(
            'Half of what was evicted was stored, or moved, less than %s before, and %.0f %% of it had been read.',
            Text::time($within),
            100 * $read,
        ) . $since, true);
    }

    /** @param array{string, float} $polluting */
    private static function polluted(array $polluting, float $read): string
    {
        [$prefix, $share] = $polluting;
        // Visitors may choose keys, and somebody may copy this into a shell.
        $isPlain = preg_match('~^[\w:/.-]{1,30}$~D', $prefix) === 1;

        return \sprintf(
            'Keys that begin with %s take %.0f %% of the memory, and hardly any was read; nor were %.0f %% of '
                . 'the evicted entries. Do they hold a session id or a time? To see some: larder keys %s--unread. '
                . 'More memory helps only if they are read later.',
            Text::key($prefix, 30),
            100 * $share,
            100 * (1 - $read),
            $isPlain ? "$prefix " : '',
        );
    }
}
