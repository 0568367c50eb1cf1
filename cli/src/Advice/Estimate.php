<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Report\Resampling;
use Larder\Cli\Timing\Interval;

/** A figure that is computed from measured ones, with what it would be in other draws of the same rounds. */
final class Estimate
{
    /** @param list<float> $draws see Resampling */
    public function __construct(public readonly float $value, public readonly array $draws) {}

    public static function constant(float $value): self
    {
        return new self($value, array_fill(0, Resampling::DRAWS, $value));
    }

    public function interval(): Interval
    {
        return Resampling::percentiles($this->draws);
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
        return new self($this->value * $factor, array_map(static fn(float $draw): float => $draw * $factor, $this->draws));
    }

    /** @param self $other above zero */
    public function by(self $other): self
    {
        return $this->with($other, static fn(float $a, float $b): float => $a / $b);
    }

    /** @param \Closure(float, float): float $operation */
    public function with(self $other, \Closure $operation): self
    {
        return new self($operation($this->value, $other->value), array_map($operation, $this->draws, $other->draws));
    }
}
