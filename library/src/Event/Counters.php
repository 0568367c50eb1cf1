<?php

declare(strict_types=1);

namespace Larder\Event;

/** Counts the events in this process. One object may observe several caches. */
final class Counters implements Observer
{
    /** @phpstan-readonly-allow-private-mutation */
    public int $hits = 0;
    /** @phpstan-readonly-allow-private-mutation */
    public int $staleHits = 0; // of the hits
    /** @phpstan-readonly-allow-private-mutation */
    public int $misses = 0;
    /** @phpstan-readonly-allow-private-mutation */
    public int $computations = 0;
    /** @phpstan-readonly-allow-private-mutation */
    public float $computing = 0.0; // seconds of all computations, also of those that failed
    /** @phpstan-readonly-allow-private-mutation */
    public int $failedComputations = 0;

    /**
     * @var array<string, int> by store and reason: "redis: unreachable"
     * @phpstan-readonly-allow-private-mutation
     */
    public array $failures = [];

    public function observe(Event $event): void
    {
        if ($event instanceof Hit) {
            ++$this->hits;
            $this->staleHits += $event->isStale ? 1 : 0;
        } elseif ($event instanceof Miss) {
            ++$this->misses;
        } elseif ($event instanceof Computed) {
            ++$this->computations;
            $this->computing += $event->seconds;
        } elseif ($event instanceof ComputationFailed) {
            ++$this->failedComputations;
            $this->computing += $event->seconds;
        } elseif ($event instanceof Failed) {
            $name = "$event->store: $event->reason";
            $this->failures[$name] = ($this->failures[$name] ?? 0) + 1;
        }
    }

    /** @return float|null from 0 to 1; null before the first read */
    public function hitRate(): ?float
    {
        $reads = $this->hits + $this->misses;

        return $reads === 0 ? null : $this->hits / $reads;
    }

    /** For a process that serves many requests, between two of them. */
    public function reset(): void
    {
        $this->hits = $this->staleHits = $this->misses = $this->computations = $this->failedComputations = 0;
        $this->computing = 0.0;
        $this->failures = [];
    }
}
