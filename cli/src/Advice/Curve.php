<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

/**
 * The cost of an operation by the size of the value. Between measured sizes it is a straight line on logarithmic
 * scales; outside of them it is the cost of the nearest measured size.
 */
final class Curve
{
    /** @var list<int> */
    private readonly array $sizes;

    /** @param array<int, Estimate> $points by bytes, 1 or more, in any order */
    public function __construct(private array $points)
    {
        ksort($this->points);
        $this->sizes = array_keys($this->points);
    }

    /** The curve with only those sizes that the other curve has too. */
    public function sharedWith(self $other): self
    {
        return new self(array_intersect_key($this->points, $other->points));
    }

    /** @return Estimate|null null when nothing was measured */
    public function at(int $bytes): ?Estimate
    {
        if (isset($this->points[$bytes]) || $this->sizes === []) {
            return $this->points[$bytes] ?? null;
        }
        $above = 0; // the first size that is larger
        for ($end = \count($this->sizes); $above < $end;) {
            $middle = intdiv($above + $end, 2);
            if ($this->sizes[$middle] > $bytes) {
                $end = $middle;
            } else {
                $above = $middle + 1;
            }
        }
        $below = $this->sizes[$above - 1] ?? null;
        $above = $this->sizes[$above] ?? null;
        if ($below === null || $above === null) {
            return $this->points[$below ?? $above ?? 0] ?? null;
        }
        $part = log($bytes / $below) / log($above / $below);

        return $this->points[$below]->with(
            $this->points[$above],
            static fn(float $a, float $b): float => $a ** (1 - $part) * $b ** $part,
        );
    }
}
