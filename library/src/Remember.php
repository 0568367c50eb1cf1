<?php

declare(strict_types=1);

namespace Larder;

use Larder\Store\Capability;
use Larder\Store\Capability\Ends;
use Larder\Store\Capability\Locks;
use Larder\Store\ReservedKey;
use Larder\Store\Store;

/**
 * Values that are computed when they are missing, by one process at a time for each key.
 *
 * Who finds a value missing takes a lease and computes; others look for the value until it is there, and take the lease
 * over when its holder is gone. Nobody waits without bound: after that time each computes for itself, as at once where the
 * store has no locks or does not answer. A value that is stale, or early to be made anew, is returned at once to all but
 * the one that has the lease.
 */
final class Remember
{
    /** Microseconds between two looks for a value that another computes: so much at first, so much at most. */
    private const PAUSE = 1000;
    private const LONGEST_PAUSE = 20_000;
    /** Seconds between two looks whether the lease is free: a store is asked more for that than for a value. */
    private const LEASE_PAUSE = 0.1;

    private readonly ?Locks $locks;
    private readonly AfterResponse $afterResponse;

    /** @var array<array-key, int> how many times each key is being computed by this object */
    private array $computing = [];

    /** @var array<int, Lease> of what is being computed */
    private array $leases = [];
    private bool $releasesAtEnd = false;

    public function __construct(
        private readonly Store $store,
        private readonly Tags $tags,
        private readonly Freshness $freshness = new Freshness(),
    ) {
        $this->locks = Capability::Lock->isOf($store) ? Capability::of($store, Locks::class) : null;
        $this->afterResponse = new AfterResponse();
    }

    /**
     * @template T
     * @param Recipe<T> $recipe
     * @return T
     */
    public function value(Recipe $recipe): mixed
    {
        $found = $this->find($recipe);
        if ($found === null) {
            return $this->computedByOne($recipe);
        }
        if ($found->isFresh($this->freshness->now()) && !$this->freshness->isEarly($found, $recipe->beta)) {
            return $this->of($recipe, $found);
        }

        return $this->refreshedByOne($recipe, $found);
    }

    /**
     * @template T
     * @param Recipe<T> $recipe
     * @return T
     */
    private function computedByOne(Recipe $recipe): mixed
    {
        if (isset($this->computing[$recipe->key])) {
            return $this->compute($recipe, null); // it is asked for by its own computation
        }
        $end = hrtime(true) + 1e9 * $recipe->wait;
        for ($hasWaited = false;; $hasWaited = true) {
            $lease = $this->lease($recipe, Ends::WithProcess);
            if ($lease === false) {
                return $this->compute($recipe, null);
            }
            // Its last holder may have stored the value since we looked.
            $found = $lease === null ? $this->awaited($recipe, $end) : $this->find($recipe);
            if ($found === null && $lease !== null && $hasWaited) {
                usleep(self::PAUSE); // Yac gives a miss now and then of what many ask for
                $found = $this->find($recipe);
            }
            if ($found !== null) {
                return $this->of($recipe, $found);
            }
            if ($lease !== null || hrtime(true) >= $end) {
                return $this->compute($recipe, $lease);
            }
        }
    }

    /**
     * @template T
     * @param Recipe<T> $recipe
     * @return T
     */
    private function refreshedByOne(Recipe $recipe, Wrapped $found): mixed
    {
        $isDeferred = AfterResponse::isPossible() && $recipe->beta !== \INF;
        // What is done after the response ends by time too: PHP calls nothing any more when it fails there.
        $lease = isset($this->computing[$recipe->key]) ? null : $this->lease($recipe, $isDeferred ? Ends::WithProcessOrByTime : Ends::WithProcess);
        if ($lease === null) {
            return $this->of($recipe, $found);
        }
        $now = $this->find($recipe);
        if ($now !== null && $now->freshUntil > $found->freshUntil) {
            return $this->of($recipe, $now); // another was first
        }
        $compute = fn(): mixed => $this->compute($recipe, $lease === false ? null : $lease);
        if (!$isDeferred) {
            return $compute();
        }
        $this->afterResponse->add($compute);

        return $this->of($recipe, $found);
    }

    /** @param Recipe<mixed> $recipe */
    private function awaited(Recipe $recipe, float $end): ?Wrapped
    {
        $backoff = new Backoff(self::PAUSE, self::LONGEST_PAUSE, min(($end - hrtime(true)) / 1e9, self::LEASE_PAUSE));
        do {
            $backoff->pause();
            $found = $this->find($recipe);
        } while ($found === null && !$backoff->isOver());

        return $found;
    }

    /**
     * @template T
     * @param Recipe<T> $recipe
     * @return T
     */
    private function compute(Recipe $recipe, ?Lease $lease): mixed
    {
        $key = $recipe->key;
        $this->computing[$key] = ($this->computing[$key] ?? 0) + 1;
        if ($lease !== null) {
            $this->releaseAtEnd($lease);
        }

        try {
            $computation = new Computation($recipe, $this->tags, $lease);
            $start = hrtime(true);
            $value = ($recipe->make)($computation);
            $stored = $computation->stored($value, (hrtime(true) - $start) / 1e9, $this->freshness);
            if ($stored !== null) {
                $this->store->set($key, ...$stored);
            }

            return $value;
        } finally {
            if (--$this->computing[$key] === 0) {
                unset($this->computing[$key]);
            }
            if ($lease !== null) {
                unset($this->leases[spl_object_id($lease)]);
                $lease->release();
            }
        }
    }

    /**
     * Also when the computation ends the whole request: by exit(), an error that cannot be caught, or out of time. In a
     * process that takes the next request, nothing else would end the lease.
     */
    private function releaseAtEnd(Lease $lease): void
    {
        $this->leases[spl_object_id($lease)] = $lease;
        if ($this->releasesAtEnd) {
            return;
        }
        $this->releasesAtEnd = true;
        $self = \WeakReference::create($this);
        register_shutdown_function(static function () use ($self): void {
            foreach ($self->get()->leases ?? [] as $lease) {
                $lease->release();
            }
        });
    }

    /**
     * @param Recipe<mixed> $recipe
     * @return Lease|false|null null when another has it; false when the store has none to give
     */
    private function lease(Recipe $recipe, Ends $ends): Lease|false|null
    {
        if ($this->locks === null) {
            return false;
        }
        $key = ReservedKey::lease($recipe->key);
        $token = $this->locks->acquire($key, (float) $recipe->lease, $ends);

        return \is_string($token) ? new Lease(new Lock($this->locks, $key, $token)) : $token;
    }

    /**
     * @param Recipe<mixed> $recipe
     * @return Wrapped|null null when there is none, it is staler than it may be, or a tag was invalidated
     * @phpstan-impure
     */
    private function find(Recipe $recipe): ?Wrapped
    {
        $stored = $this->store->get($recipe->key, $this);
        if ($stored === $this) {
            return null;
        }
        $found = Wrapped::is($stored) ? Wrapped::of($stored) : new Wrapped($stored);

        return $found !== null && $found->isFresh($this->freshness->now() - $recipe->stale) && $this->tags->areCurrent($found->generations) ? $found : null;
    }

    /**
     * @template T
     * @param Recipe<T> $recipe
     * @return T what it made once, in this process or another
     */
    private function of(Recipe $recipe, Wrapped $found): mixed
    {
        /** @var T */
        return $found->value;
    }
}
