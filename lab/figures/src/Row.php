<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** One figure of Larder, compared with a peer's, and measured in its own process. */
final class Row
{
    /**
     * @param string $name short name, for --rows
     * @param string $work description of the work
     * @param string $peer description of the peer
     * @param float|null $bound largest allowed ratio of ours to the peer's; null if it is only reported
     * @param array<string, string> $ini settings of the measuring process besides the usual ones
     * @param \Closure(int): non-empty-list<array{0: float, 1: float, 2?: int, 3?: int}> $measure receives the number of
     *        rounds. Returns pairs of nanoseconds, ours and the peer's, measured one right after the other. A pair of
     *        requests also has their numbers of loaded files
     * @param bool $least true if the bound is a minimum, not a maximum
     * @param float|null $more nanoseconds by which ours may exceed the peer's, whatever the ratio
     */
    public function __construct(
        public readonly string $name,
        public readonly string $work,
        public readonly string $peer,
        public readonly ?float $bound,
        public readonly array $ini,
        public readonly \Closure $measure,
        public readonly bool $least = false,
        public readonly ?float $more = null,
    ) {}

    /**
     * @param float $ratio of ours to the peer's
     * @param float $difference nanoseconds of ours minus the peer's
     * @return bool|null null if there is no bound
     */
    public function isReached(float $ratio, float $difference): ?bool
    {
        if ($this->bound === null && $this->more === null) {
            return null;
        }

        return ($this->more !== null && $difference <= $this->more)
            || ($this->bound !== null && ($this->least ? $ratio >= $this->bound : $ratio <= $this->bound));
    }
}
