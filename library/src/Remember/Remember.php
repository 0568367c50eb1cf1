<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Contract\Capability;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\Store;
use Larder\Event\ComputationFailed;
use Larder\Event\Computed;
use Larder\Event\Events;
use Larder\Event\Hit;
use Larder\Event\Miss;
use Larder\Key\ReservedKey;
use Larder\Lock\Backoff;
use Larder\Lock\Lock;
use Larder\Lock\LockOwner;
use Larder\Tag\Tags;

/**
 * Computes missing values, in one process at a time for each key.
 *
 * The process that misses takes a lease and computes. The others poll for the value, and take over the lease if its holder
 * is gone. Waiting is bounded: after that each computes for itself; at once if the store has no locks or does not answer,
 * or if the computation stored nothing. A value that is stale, or due for early recomputation, is returned at once to all
 * but the holder of the lease. A write during a computation wins: see Claim.
 */
final class Remember
{
    /** Microseconds between two polls for a value that another process computes: at first, and at most. */
    private const PAUSE = 1000;
    private const LONGEST_PAUSE = 20_000;
    /** Seconds between two polls for the lease, which cost the store more than polls for the value. */
    private const LEASE_PAUSE = 0.1;
    /** A store in which others write just then is asked so often. */
    private const TRIES = 3;

    private readonly ?LockingStore $locks;
    private readonly Claims $claims;
    private readonly AfterResponse $afterResponse;
    private readonly RunningComputation $computing;

    public function __construct(
        private readonly Store $store,
        private readonly Tags $tags,
        private readonly Freshness $freshness = new Freshness(),
        private readonly ?Events $events = null,
    ) {
        $this->locks = Capability::Lock->isOf($store) ? Capability::of($store, LockingStore::class) : null;
        $this->claims = new Claims($store);
        $this->afterResponse = new AfterResponse();
        $this->computing = new RunningComputation();
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @return T
     */
    public function value(RememberOptions $options): mixed
    {
        if ($options->beta === \INF) {
            return $this->computedNow($options);
        }
        $stored = $this->stored($options);
        $found = $this->usable($options, $stored);
        if ($found === null) {
            $this->events?->tell(new Miss($options->key));

            return $this->computedByOne($options, self::token($stored), $stored === $this);
        }
        $isFresh = $found->isFresh($this->freshness->now());
        $this->events?->tell(new Hit($options->key, !$isFresh));
        if ($isFresh && !$this->freshness->isEarly($found, $options->beta)) {
            return $this->of($options, $found);
        }

        return $this->refreshedByOne($options, $found);
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @param int $awaited the token of the placeholder of the computation that is waited for; 0 for not seen
     * @param bool $wasMissing whether there was nothing just now
     * @return T
     */
    private function computedByOne(RememberOptions $options, int $awaited, bool $wasMissing): mixed
    {
        if ($this->computing->isNested($options->key)) {
            return $this->compute($options, null, Claim::none()); // it is asked for by its own computation
        }
        $end = hrtime(true) + 1e9 * $options->wait;
        for ($hasWaited = false;; $hasWaited = true) {
            $lease = $this->lease($options, LockLifetime::Process);
            if ($lease === null && !$hasWaited && self::isOfThisProcess($this->stored($options))) {
                return $this->compute($options, null, Claim::none()); // the same, by another object
            }
            $found = $lease === null ? $this->awaited($options, $end, $awaited) : null;
            if ($found === null && $lease === null && hrtime(true) < $end) {
                continue;
            }
            // Its last holder may have stored the value since we looked.
            $found = $found instanceof StoredValue ? $found : $this->claimed($options, $hasWaited, $wasMissing && !$hasWaited);

            return $found instanceof StoredValue ? $this->of($options, $found) : $this->compute($options, $lease === false ? null : $lease, $found);
        }
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @return T
     */
    private function refreshedByOne(RememberOptions $options, StoredValue $found): mixed
    {
        $isDeferred = AfterResponse::isPossible();
        // What is done after the response ends by time too: PHP calls nothing any more when it fails there.
        $lease = $this->computing->isNested($options->key) ? null : $this->lease($options, $isDeferred ? LockLifetime::TtlOrProcess : LockLifetime::Process);
        if ($lease === null) {
            return $this->of($options, $found);
        }
        $compute = function () use ($options, $lease, $found): mixed {
            $now = $this->usable($options, $this->stored($options));
            $claim = match (true) {
                $now === null => $this->claimed($options, false),
                $now->freshUntil > $found->freshUntil => $now, // another was first
                default => $this->claims->onFound($options->key, $now),
            };

            return $claim instanceof StoredValue ? $this->of($options, $claim) : $this->compute($options, $lease === false ? null : $lease, $claim, $found);
        };
        if (!$isDeferred) {
            return $compute();
        }
        $this->afterResponse->add($compute);

        return $this->of($options, $found);
    }

    /**
     * Whoever computes it since before, and whatever is there: others may take that until the new value is.
     *
     * @template T
     * @param RememberOptions<T> $options
     * @return T
     */
    private function computedNow(RememberOptions $options): mixed
    {
        if ($this->computing->isNested($options->key)) {
            return $this->compute($options, null, Claim::none());
        }
        $lease = $this->lease($options, LockLifetime::Process);
        $claim = $found = null;
        for ($try = 0; $claim === null && $try < self::TRIES; ++$try) {
            $stored = $this->stored($options);
            $found = $this->usable($options, $stored);
            $claim = $this->claims->onAny($options, $stored, $this, $found !== null);
        }

        return $this->compute($options, $lease === false ? null : $lease, $claim ?? Claim::none(), $found, throws: true);
    }

    /**
     * @param RememberOptions<mixed> $options
     * @param int $awaited as for computedByOne(); what is seen is noted there
     * @return StoredValue|false|null false when that computation stored nothing; null when neither is known yet
     */
    private function awaited(RememberOptions $options, float $end, int &$awaited): StoredValue|false|null
    {
        $backoff = new Backoff(self::PAUSE, self::LONGEST_PAUSE, min(($end - hrtime(true)) / 1e9, self::LEASE_PAUSE));
        do {
            $stored = $this->stored($options);
            $found = $this->usable($options, $stored);
            if ($found === null && $awaited !== 0 && self::failed($stored) === $awaited) {
                return false;
            }
            $awaited = $awaited === 0 ? self::token($stored) : $awaited;
            if ($found === null) {
                $backoff->pause();
            }
        } while ($found === null && !$backoff->isOver());

        return $found;
    }

    /**
     * To be called when a computation is to begin.
     *
     * @param RememberOptions<mixed> $options
     * @param bool $wasMissing whether there was nothing just now: then to add a placeholder tells whether there is by now
     * @return Claim|StoredValue the value, when it is there by now
     */
    private function claimed(RememberOptions $options, bool $hasWaited, bool $wasMissing = false): Claim|StoredValue
    {
        $claim = $wasMissing ? $this->claims->onNothing($options->key, (float) $options->lease) : null;
        if ($claim !== null) {
            return $claim;
        }
        for ($try = 0; $try < self::TRIES; ++$try) {
            $stored = $this->stored($options);
            if ($stored === $this && $hasWaited) {
                usleep(self::PAUSE); // Yac gives a miss now and then of what many ask for
                $stored = $this->stored($options);
            }
            $claim = $this->usable($options, $stored) ?? $this->claims->onMissing($options->key, $stored, $this, (float) $options->lease);
            if ($claim !== null) {
                return $claim;
            }
        }

        return Claim::none();
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @param StoredValue|null $previous what is recomputed
     * @param bool $throws whether an exception reaches the caller; else $previous is returned, if there is one
     * @return T
     */
    private function compute(RememberOptions $options, ?Lease $lease, Claim $claim, ?StoredValue $previous = null, bool $throws = false): mixed
    {
        $isStored = false;
        $event = null;
        $this->computing->begin($options, $lease, $claim);

        try {
            $computation = new Computation($options, $this->tags, $lease, $previous);
            $start = hrtime(true);

            try {
                $value = ($options->make)($computation);
            } catch (\Throwable $error) {
                $event = new ComputationFailed($options->key, (hrtime(true) - $start) / 1e9, $error::class);
                if ($throws || $previous === null) {
                    throw $error;
                }
                error_log(\sprintf('Larder: the value of "%s" could not be recomputed, the old one is returned: %s', addcslashes($options->key, "\0..\37\177"), $error));

                return $this->of($options, $previous);
            }
            $seconds = (hrtime(true) - $start) / 1e9;
            $event = new Computed($options->key, $seconds, false);
            $stored = $computation->stored($value, $seconds, $this->freshness);
            $isStored = $stored !== null && $claim->store(...$stored);
            $event = new Computed($options->key, $seconds, $isStored);

            return $value;
        } finally {
            $this->computing->end($options, $lease, $isStored);
            if ($event !== null) {
                $this->events?->tell($event);
            }
        }
    }

    /**
     * @param RememberOptions<mixed> $options
     * @return Lease|false|null null when another has it; false when the store has none to give
     */
    private function lease(RememberOptions $options, LockLifetime $ends): Lease|false|null
    {
        if ($this->locks === null) {
            return false;
        }
        $key = ReservedKey::lease($options->key);
        $token = $this->locks->acquire($key, (float) $options->lease, $ends);

        return \is_string($token) ? new Lease(new Lock($this->locks, $key, $token)) : $token;
    }

    /**
     * @param RememberOptions<mixed> $options
     * @return mixed this object when there is nothing
     * @phpstan-impure
     */
    private function stored(RememberOptions $options): mixed
    {
        return $this->store->get($options->key, $this);
    }

    /**
     * @param RememberOptions<mixed> $options
     * @return StoredValue|null null when there is none, it is staler than it may be, or a tag was invalidated
     * @phpstan-impure
     */
    private function usable(RememberOptions $options, mixed $stored): ?StoredValue
    {
        if ($stored === $this) {
            return null;
        }
        $found = StoredValue::is($stored) ? StoredValue::of($stored) : new StoredValue($stored);

        return $found !== null && $found->isFresh(max(0.0, $this->freshness->now() - $options->stale)) && $this->tags->areCurrent($found->tagVersions) ? $found : null;
    }

    /** Whether it is the placeholder of a computation of this process. */
    private static function isOfThisProcess(mixed $stored): bool
    {
        $process = StoredValue::is($stored) ? StoredValue::of($stored)->process ?? 0 : 0;

        return $process !== 0 && $process === LockOwner::number();
    }

    /** @return int of a placeholder; 0 for none */
    private static function token(mixed $stored): int
    {
        return StoredValue::is($stored) ? StoredValue::of($stored)->token ?? 0 : 0;
    }

    /** @return int the token of the placeholder before this one; 0 for none */
    private static function failed(mixed $stored): int
    {
        return StoredValue::is($stored) ? StoredValue::of($stored)->failed ?? 0 : 0;
    }

    /**
     * @template T
     * @param RememberOptions<T> $options
     * @return T what it made once, in this process or another
     */
    private function of(RememberOptions $options, StoredValue $found): mixed
    {
        /** @var T */
        return $found->value;
    }
}
