<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/** What the counters of this process's segment say about it. `larder doctor` and `larder top` use the same words. */
final class Health
{
    /** Fewer evictions, as a share of the stores or of the gets, are normal for a cache that is full. */
    private const FEW = 0.01;
    private const FEW_OF_GETS = 0.02;

    private function __construct(
        public readonly string $word,
        public readonly string $sentence,
        /** True if there is something to do. */
        public readonly bool $isIll,
    ) {}

    /** @return self|null null: nothing was evicted or refused, or too little to tell */
    public static function verdict(): ?self
    {
        /** @var array{
         *     hits: int, misses: int, stores: int,
         *     evictions: array{room: int, index: int}, refusals: array{room: int},
         * } $info
         */
        $info = larder_info(false);
        ['room' => $room, 'index' => $index] = $info['evictions'];
        $counters = Counters::read();
        $read = $counters->evictedRead();
        $isMuch = $room > self::FEW * $info['stores'];
        $polluting = $isMuch && $read < 0.5 ? Prefixes::polluting() : null;
        if ($polluting !== null) {
            return self::polluted($polluting, $read);
        }
        if ($info['refusals']['room'] > 0) {
            return null;
        }
        // Who misses a key because it was evicted stores it again: an eviction costs one hit at most.
        $most = ($room + $index) / max(1, $info['hits'] + $info['misses']);
        if ($room + $index > 0 && $most < self::FEW_OF_GETS) {
            return new self('HEALTHY', \sprintf(
                'The cache is full, as it should be. More memory would raise the hit rate by less than %.1f points.',
                ceil(1000 * $most) / 10,
            ), false);
        }
        $within = $counters->evictedWithin();

        return !$isMuch || $read < 0.5 || $within === null ? null : new self('TOO SMALL', \sprintf(
            'Half of the evicted entries had been here for less than %s, and %.0f %% had been read.',
            Text::time($within),
            100 * $read,
        ), true);
    }

    /** @param array{string, float} $polluting */
    private static function polluted(array $polluting, float $read): self
    {
        [$prefix, $share] = $polluting;

        return new self('POLLUTED', \sprintf(
            'Keys that begin with %1$s take %2$.0f %% of the memory, and hardly any was read; nor were %3$.0f %% of '
                . 'the evicted entries. Do they hold a session id or a time? To see some: larder keys %1$s --unread. '
                . 'More memory helps only if they are read later.',
            Text::key($prefix, 30),
            100 * $share,
            100 * (1 - $read),
        ), true);
    }
}
