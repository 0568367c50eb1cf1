<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/** What all processes have done with the segment since it exists. Reading them takes a microsecond. */
final class Counters
{
    private function __construct(
        /** Seconds of a clock that never steps. */
        public readonly float $time,
        /** Seconds since the segment was made. */
        public readonly float $age,
        public readonly int $hits,
        public readonly int $misses,
        public readonly int $stores,
        public readonly int $evicted,
        /** Of the evicted ones, those for memory. */
        public readonly int $room,
        /** Stores that were refused for want of memory. */
        public readonly int $refused,
        public readonly int $expired,
        public readonly int $deletes,
        /** Calls that deleted all. */
        public readonly int $clears,
        /** Of the evicted ones, those for memory that nobody had read. */
        private readonly int $unread,
        /** @var list<int> those for memory, by the time in the cache: under 1 s, 2 s, 4 s and so on */
        public readonly array $ages,
    ) {}

    public static function read(): self
    {
        return self::of(larder_info(false));
    }

    /** @param mixed[] $info of larder_info() */
    public static function of(array $info): self
    {
        /**
         * @var array{
         *     age: float, hits: int, misses: int, stores: int, deletes: int, clears?: int, refusals: array{room: int},
         *     evictions: array{room: int, index: int, expired: int, unread?: int}, evicted_ages?: list<int>,
         * } $info
         */
        ['room' => $room, 'index' => $index] = $info['evictions'];

        return new self(
            hrtime(true) / 1e9,
            $info['age'],
            $info['hits'],
            $info['misses'],
            $info['stores'],
            $room + $index,
            $room,
            $info['refusals']['room'],
            $info['evictions']['expired'],
            $info['deletes'],
            $info['clears'] ?? 0,
            $info['evictions']['unread'] ?? 0, // an engine that was built before, and runs until a restart
            $info['evicted_ages'] ?? [],
        );
    }

    /** The share of all gets that hit; null: there were none. */
    public function hitRate(): ?float
    {
        $gets = $this->hits + $this->misses;

        return $gets === 0 ? null : fdiv($this->hits, $gets);
    }

    /** The share of what was evicted for memory that had been read; null: nothing was evicted. */
    public function evictedRead(): ?float
    {
        $all = array_sum($this->ages);

        return $all === 0 ? null : 1 - min(1, $this->unread / $all);
    }

    /** Half of what was evicted for memory was stored, or moved, less than so many seconds before; null: over 4 h. */
    public function evictedWithin(): ?int
    {
        $all = array_sum($this->ages);
        $sum = 0;
        foreach ($this->ages as $doublings => $entries) {
            $sum += $entries;
            if ($all > 0 && 2 * $sum >= $all && $doublings < \count($this->ages) - 1) {
                return 2 ** $doublings;
            }
        }

        return null;
    }
}
