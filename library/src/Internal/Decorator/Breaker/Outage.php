<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Breaker;

/** The known state of a server that failed; times are unix times. */
final class Outage
{
    /**
     * @param int $failures consecutive failures; 0 without an outage
     * @param int $probes that have failed
     * @param float $since time of the first failure
     * @param float $last time of the last failure
     * @param float $until time of the next probe
     */
    public function __construct(
        public readonly int $failures = 0,
        public readonly int $probes = 0,
        public readonly float $since = 0.0,
        public readonly float $last = 0.0,
        public readonly float $until = 0.0,
    ) {}

    public function until(float $until): self
    {
        return new self($this->failures, $this->probes, $this->since, $this->last, $until);
    }

    public function __toString(): string
    {
        return \sprintf('%d %d %F %F %F', $this->failures, $this->probes, $this->since, $this->last, $this->until);
    }

    /** A line that cannot be parsed means that there is no outage. */
    public static function parse(string $line): self
    {
        return preg_match('/^(\d+) (\d+) (\d+\.\d+) (\d+\.\d+) (\d+\.\d+)$/D', $line, $numbers) === 1
            ? new self(
                (int) $numbers[1],
                (int) $numbers[2],
                (float) $numbers[3],
                (float) $numbers[4],
                (float) $numbers[5],
            )
            : new self();
    }
}
