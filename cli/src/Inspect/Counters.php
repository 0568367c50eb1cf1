<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/** What all processes have done with the segment since it exists. Reading them takes a microsecond. */
final class Counters
{
    private function __construct(
        /** Seconds of a clock that never steps. */
        public readonly float $time,
        public readonly int $hits,
        public readonly int $misses,
        public readonly int $stores,
        public readonly int $evicted,
        /** Of the evicted ones, those for memory that nobody had read. */
        private readonly int $unread,
        /** @var list<int> those for memory, by the time in the cache: under 1 s, 2 s, 4 s and so on */
        private readonly array $ages,
    ) {}

    public static function read(): self
    {
        /**
         * @var array{
         *     hits: int, misses: int, stores: int,
         *     evictions: array{room: int, index: int, unread: int}, evicted_ages: list<int>,
         * } $info
         */
        $info = larder_info(false);
        ['room' => $room, 'index' => $index, 'unread' => $unread] = $info['evictions'];
        $time = hrtime(true) / 1e9;

        return new self($time, $info['hits'], $info['misses'], $info['stores'], $room + $index, $unread, $info['evicted_ages']);
    }

    /** The share of what was evicted for memory that somebody had read. */
    public function evictedRead(): float
    {
        return 1 - min(1, $this->unread / max(1, array_sum($this->ages)));
    }

    /** Half of what was evicted for memory had been in the cache for less than so many seconds; null: for longer than 9 h. */
    public function evictedWithin(): ?int
    {
        $all = array_sum($this->ages);
        $sum = 0;
        foreach ($this->ages as $doublings => $entries) {
            $sum += $entries;
            if (2 * $sum >= $all && $doublings < \count($this->ages) - 1) {
                return 2 ** $doublings;
            }
        }

        return null;
    }
}
