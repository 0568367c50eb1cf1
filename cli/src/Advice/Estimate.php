<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/**
 * A figure computed from measured ones, separately for each round from the samples of that round. So its median has an
 * interval like any measured figure. If the machine was slow in a round, all terms of that round are slow alike.
 */
final class Estimate
{
    public readonly float $value;

    /** @param list<float> $rounds the figure of each round; empty for a constant */
    private function __construct(public readonly array $rounds, float $constant = 0.0)
    {
        $this->value = $rounds === [] ? $constant : Statistics::median($rounds);
    }

    /** @param non-empty-list<float> $rounds for an interval, Interval::FEWEST or more */
    public static function ofRounds(array $rounds): self
    {
        return new self($rounds);
    }

    /** An estimate with the same figure in each round. */
    public static function constant(float $value): self
    {
        return new self([], $value);
    }

    public function hasInterval(): bool
    {
        return $this->rounds === [] || \count($this->rounds) >= Interval::FEWEST;
    }

    public function interval(): Interval
    {
        return $this->rounds === []
            ? new Interval($this->value, $this->value)
            : Interval::ofMedian($this->rounds)
                ?? throw new \LogicException(\sprintf('%d rounds have no interval', \count($this->rounds)));
    }

    /** True if its fastest round took longer than the other's slowest. */
    public function isBehind(self $other): bool
    {
        return min([\INF, ...$this->rounds]) > max([0.0, ...$other->rounds]);
    }

    public function plus(self $other): self
    {
        return $this->with($other, static fn(float $a, float $b): float => $a + $b);
    }

    public function minus(self $other): self
    {
        return $this->with($other, static fn(float $a, float $b): float => $a - $b);
    }

    public function times(float $factor): self
    {
        return $this->with(self::constant($factor), static fn(float $a, float $b): float => $a * $b);
    }

    /** @param self $other above zero */
    public function by(self $other): self
    {
        return $this->with($other, static fn(float $a, float $b): float => $a / $b);
    }

    /**
     * Combines the figures of each round, for the rounds that both have.
     *
     * @param \Closure(float, float): float $operation
     */
    public function with(self $other, \Closure $operation): self
    {
        $rounds = [];
        if ($this->rounds !== [] && $other->rounds !== []) {
            foreach ($this->rounds as $round => $figure) {
                if (isset($other->rounds[$round])) {
                    $rounds[] = $operation($figure, $other->rounds[$round]);
                }
            }
        } else {
            foreach ($this->rounds as $figure) {
                $rounds[] = $operation($figure, $other->value);
            }
            foreach ($other->rounds as $figure) {
                $rounds[] = $operation($this->value, $figure);
            }
        }

        return new self($rounds, $rounds === [] ? $operation($this->value, $other->value) : 0.0);
    }
}
