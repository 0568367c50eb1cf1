<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Contract\Capability;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\Store;
use Larder\Key\ReservedKey;
use Larder\Lock\Backoff;
use Larder\Lock\Lock;
use Larder\Lock\LockOwner;
use Larder\Tag\Tags;

/**
 * Values that are computed when they are missing, by one process at a time for each key.
 *
 * Who finds a value missing takes a lease and computes; others look for the value until it is there, and take the lease
 * over when its holder is gone. Nobody waits without bound: after that time each computes for itself, as at once where the
 * store has no locks or does not answer, or when the computation that was waited for stored nothing. A value that is stale,
 * or early to be made anew, is returned at once to all but the one that has the lease. What is written while a value is
 * computed stays: see Claim.
 */
final class Remember
{
    /** Microseconds between two looks for a value that another computes: so much at first, so much at most. */
    private const PAUSE = 1000;
    private const LONGEST_PAUSE = 20_000;
    /** Seconds between two looks whether the lease is free: a store is asked more for that than for a value. */
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
    ) {
        $this->locks = Capability::Lock->isOf($store) ? Capability::of($store, LockingStore::class) : null;
        $this->claims = new Claims($store);
        $this->afterResponse = new AfterResponse();
        $this->computing = new RunningComputation();
    }

    /**
     * @template T
     * @param RememberOptions<T> $recipe
     * @return T
     */
    public function value(RememberOptions $recipe): mixed
    {
        if ($recipe->beta === \INF) {
            return $this->computedNow($recipe);
        }
        $stored = $this->stored($recipe);
        $found = $this->usable($recipe, $stored);
        if ($found === null) {
            return $this->computedByOne($recipe, self::token($stored), $stored === $this);
        }
        if ($found->isFresh($this->freshness->now()) && !$this->freshness->isEarly($found, $recipe->beta)) {
            return $this->of($recipe, $found);
        }

        return $this->refreshedByOne($recipe, $found);
    }

    /**
     * @template T
     * @param RememberOptions<T> $recipe
     * @param int $awaited the token of the placeholder of the computation that is waited for; 0 for not seen
     * @param bool $wasMissing whether there was nothing just now
     * @return T
     */
    private function computedByOne(RememberOptions $recipe, int $awaited, bool $wasMissing): mixed
    {
        if ($this->computing->isNested($recipe->key)) {
            return $this->compute($recipe, null, Claim::none()); // it is asked for by its own computation
        }
        $end = hrtime(true) + 1e9 * $recipe->wait;
        for ($hasWaited = false;; $hasWaited = true) {
            $lease = $this->lease($recipe, LockLifetime::Process);
            if ($lease === null && !$hasWaited && self::isOfThisProcess($this->stored($recipe))) {
                return $this->compute($recipe, null, Claim::none()); // the same, by another object
            }
            $found = $lease === null ? $this->awaited($recipe, $end, $awaited) : null;
            if ($found === null && $lease === null && hrtime(true) < $end) {
                continue;
            }
            // Its last holder may have stored the value since we looked.
            $found = $found instanceof StoredValue ? $found : $this->claimed($recipe, $hasWaited, $wasMissing && !$hasWaited);

            return $found instanceof StoredValue ? $this->of($recipe, $found) : $this->compute($recipe, $lease === false ? null : $lease, $found);
        }
    }

    /**
     * @template T
     * @param RememberOptions<T> $recipe
     * @return T
     */
    private function refreshedByOne(RememberOptions $recipe, StoredValue $found): mixed
    {
        $isDeferred = AfterResponse::isPossible();
        // What is done after the response ends by time too: PHP calls nothing any more when it fails there.
        $lease = $this->computing->isNested($recipe->key) ? null : $this->lease($recipe, $isDeferred ? LockLifetime::TtlOrProcess : LockLifetime::Process);
        if ($lease === null) {
            return $this->of($recipe, $found);
        }
        $compute = function () use ($recipe, $lease, $found): mixed {
            $now = $this->usable($recipe, $this->stored($recipe));
            $claim = match (true) {
                $now === null => $this->claimed($recipe, false),
                $now->freshUntil > $found->freshUntil => $now, // another was first
                default => $this->claims->onFound($recipe->key, $now),
            };

            return $claim instanceof StoredValue ? $this->of($recipe, $claim) : $this->compute($recipe, $lease === false ? null : $lease, $claim, $found);
        };
        if (!$isDeferred) {
            return $compute();
        }
        $this->afterResponse->add($compute);

        return $this->of($recipe, $found);
    }

    /**
     * Whoever computes it since before, and whatever is there: others may take that until the new value is.
     *
     * @template T
     * @param RememberOptions<T> $recipe
     * @return T
     */
    private function computedNow(RememberOptions $recipe): mixed
    {
        if ($this->computing->isNested($recipe->key)) {
            return $this->compute($recipe, null, Claim::none());
        }
        $lease = $this->lease($recipe, LockLifetime::Process);
        $claim = null;
        for ($try = 0; $claim === null && $try < self::TRIES; ++$try) {
            $stored = $this->stored($recipe);
            $claim = $this->claims->onAny($recipe, $stored, $this, $this->usable($recipe, $stored) !== null);
        }

        return $this->compute($recipe, $lease === false ? null : $lease, $claim ?? Claim::none());
    }

    /**
     * @param RememberOptions<mixed> $recipe
     * @param int $awaited as for computedByOne(); what is seen is noted there
     * @return StoredValue|false|null false when that computation stored nothing; null when neither is known yet
     */
    private function awaited(RememberOptions $recipe, float $end, int &$awaited): StoredValue|false|null
    {
        $backoff = new Backoff(self::PAUSE, self::LONGEST_PAUSE, min(($end - hrtime(true)) / 1e9, self::LEASE_PAUSE));
        do {
            $stored = $this->stored($recipe);
            $found = $this->usable($recipe, $stored);
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
     * @param RememberOptions<mixed> $recipe
     * @param bool $wasMissing whether there was nothing just now: then to add a placeholder tells whether there is by now
     * @return Claim|StoredValue the value, when it is there by now
     */
    private function claimed(RememberOptions $recipe, bool $hasWaited, bool $wasMissing = false): Claim|StoredValue
    {
        $claim = $wasMissing ? $this->claims->onNothing($recipe->key, (float) $recipe->lease) : null;
        if ($claim !== null) {
            return $claim;
        }
        for ($try = 0; $try < self::TRIES; ++$try) {
            $stored = $this->stored($recipe);
            if ($stored === $this && $hasWaited) {
                usleep(self::PAUSE); // Yac gives a miss now and then of what many ask for
                $stored = $this->stored($recipe);
            }
            $claim = $this->usable($recipe, $stored) ?? $this->claims->onMissing($recipe->key, $stored, $this, (float) $recipe->lease);
            if ($claim !== null) {
                return $claim;
            }
        }

        return Claim::none();
    }

    /**
     * @template T
     * @param RememberOptions<T> $recipe
     * @param StoredValue|null $stale what is returned if the computation throws
     * @return T
     */
    private function compute(RememberOptions $recipe, ?Lease $lease, Claim $claim, ?StoredValue $stale = null): mixed
    {
        $isStored = false;
        $this->computing->begin($recipe, $lease, $claim);

        try {
            $computation = new Computation($recipe, $this->tags, $lease);
            $start = hrtime(true);

            try {
                $value = ($recipe->make)($computation);
            } catch (\Throwable $error) {
                if ($stale === null) {
                    throw $error;
                }
                error_log(\sprintf('Larder: the value of "%s" could not be made anew, the old one is returned: %s', addcslashes($recipe->key, "\0..\37\177"), $error));

                return $this->of($recipe, $stale);
            }
            $stored = $computation->stored($value, (hrtime(true) - $start) / 1e9, $this->freshness);
            $isStored = $stored !== null && $claim->store(...$stored);

            return $value;
        } finally {
            $this->computing->end($recipe, $lease, $isStored);
        }
    }

    /**
     * @param RememberOptions<mixed> $recipe
     * @return Lease|false|null null when another has it; false when the store has none to give
     */
    private function lease(RememberOptions $recipe, LockLifetime $ends): Lease|false|null
    {
        if ($this->locks === null) {
            return false;
        }
        $key = ReservedKey::lease($recipe->key);
        $token = $this->locks->acquire($key, (float) $recipe->lease, $ends);

        return \is_string($token) ? new Lease(new Lock($this->locks, $key, $token)) : $token;
    }

    /**
     * @param RememberOptions<mixed> $recipe
     * @return mixed this object when there is nothing
     * @phpstan-impure
     */
    private function stored(RememberOptions $recipe): mixed
    {
        return $this->store->get($recipe->key, $this);
    }

    /**
     * @param RememberOptions<mixed> $recipe
     * @return StoredValue|null null when there is none, it is staler than it may be, or a tag was invalidated
     * @phpstan-impure
     */
    private function usable(RememberOptions $recipe, mixed $stored): ?StoredValue
    {
        if ($stored === $this) {
            return null;
        }
        $found = StoredValue::is($stored) ? StoredValue::of($stored) : new StoredValue($stored);

        return $found !== null && $found->isFresh(max(0.0, $this->freshness->now() - $recipe->stale)) && $this->tags->areCurrent($found->tagVersions) ? $found : null;
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
     * @param RememberOptions<T> $recipe
     * @return T what it made once, in this process or another
     */
    private function of(RememberOptions $recipe, StoredValue $found): mixed
    {
        /** @var T */
        return $found->value;
    }
}
