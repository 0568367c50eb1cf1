<?php

declare(strict_types=1);

namespace Larder\Tool\Figures;

/** One figure of the engine beside a peer, measured in a process of its own. */
final class Row
{
    /**
     * @param string $name short, for --rows
     * @param string $work what is done, in words
     * @param string $peer what it is compared with
     * @param float|null $bound the ratio of ours to the peer's that is to be reached at most; null: only reported
     * @param array<string, string> $ini settings of the measuring process besides the usual ones
     * @param \Closure(int): non-empty-list<array{float, float}> $measure given the number of rounds: pairs of
     *        nanoseconds, ours and the peer's, taken right after one another
     * @param bool $least the bound is a least one, not a most
     */
    public function __construct(
        public readonly string $name,
        public readonly string $work,
        public readonly string $peer,
        public readonly ?float $bound,
        public readonly array $ini,
        public readonly \Closure $measure,
        public readonly bool $least = false,
    ) {}
}
