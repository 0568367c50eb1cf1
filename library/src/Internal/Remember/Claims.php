<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Decorator;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\RemoteStore;
use Larder\Contract\Store;
use Larder\Internal\Key\ReservedKey;
use Larder\Remember\RememberOptions;

/** The claims of computations that begin, in a store. */
final class Claims
{
    private const TRIES = 3;

    /** Null if the store serves one process: each computes, and the last one's value stays. */
    private readonly AtomicStore|NonAtomicFallback|null $comparing;
    /** True if all users of the store are on this machine. */
    private readonly bool $isLocal;

    public function __construct(private readonly Store $store)
    {
        $this->comparing = match (true) {
            $store instanceof AtomicStore && (!$store instanceof Decorator || $store->supports(AtomicStore::class))
                => $store,
            Capability::Lock->isOf($store) => new NonAtomicFallback($store),
            default => null,
        };
        while ($store instanceof Decorator && !$store instanceof RemoteStore) {
            $store = $store->decorated();
        }
        $this->isLocal = !$store instanceof RemoteStore;
    }

    /** False if there is nothing to compare and take. */
    public function isPossible(): bool
    {
        return $this->comparing !== null;
    }

    /** @param Placeholder|StoredValue|null $there null to store nothing, if the store can compare */
    public function on(string $key, Placeholder|StoredValue|null $there): StoreClaim
    {
        return new StoreClaim($this->store, $this->comparing, $key, $there);
    }

    /**
     * Puts a placeholder in the place of no usable value.
     *
     * @param mixed $stored read there; $nothing for nothing
     * @param float $seconds the lease
     * @param bool $isTimed as Placeholder::ofThisProcess()
     * @param bool $isNew true if computations that began before must not store
     * @return StoreClaim|null null if something else is there by now, or the store refused
     */
    public function take(
        string $key,
        mixed $stored,
        object $nothing,
        float $seconds,
        bool $isTimed,
        bool $isNew = false,
    ): ?StoreClaim {
        if ($this->comparing === null) {
            return null;
        }
        $own = Placeholder::ofThisProcess($seconds, $this->isLocal, $isTimed);
        $there = Placeholder::of($stored);
        $own = $there === null || $isNew ? $own : $there->takenOverBy($own);
        $kept = $own->secondsOfValue();
        if ($stored !== $nothing) {
            $isExpected = $there === null ? self::isStill($stored) : $there->isSame(...);
            $isPut = $this->comparing->setIf($key, $isExpected, $own->stored(), $kept);
        } else {
            $isPut = $this->comparing->add($key, $own->stored(), $kept);
            if (!$isPut && $this->store->get($key, $nothing) === $nothing) {
                $this->store->delete($key); // a value that get() cannot read blocks add()
                $isPut = $this->comparing->add($key, $own->stored(), $kept);
            }
        }

        return $isPut ? new StoreClaim($this->store, $this->comparing, $key, $own, $own) : null;
    }

    /**
     * Claims as take() does, also if a usable value is there. Readers still get that value, but computations that began
     * before cannot store.
     *
     * @param RememberOptions<mixed> $options
     * @param StoredValue|null $found the value; null if none is usable
     */
    public function takeNow(RememberOptions $options, mixed $stored, object $nothing, ?StoredValue $found): ?StoreClaim
    {
        if ($this->comparing === null || ($found !== null && $this->comparing instanceof NonAtomicFallback)) {
            return new StoreClaim($this->store, null, $options->key);
        }
        $ttl = $found === null ? null : $this->ttl($options, $found);
        if ($ttl === null) {
            return $this->take($options->key, $stored, $nothing, (float) $options->lease, false, true);
        }
        $marked = $found->marked();
        if (!$this->comparing->setIf($options->key, self::isStill($stored), $marked->stored(), $ttl)) {
            return null;
        }
        $claim = $this->takeBeside($options->key, (float) $options->lease, false) ?? $this->on($options->key, null);
        $claim->begun = $marked;

        return $claim;
    }

    /**
     * @return StoreClaim|null the right to recompute a value that stays, as a placeholder under another key. Null if
     *         another process has it; without a lease if the store cannot provide one
     */
    public function takeBeside(string $key, float $seconds, bool $isTimed): ?StoreClaim
    {
        $name = ReservedKey::lease($key);
        $stored = $this;
        for ($try = 0; $this->comparing !== null && $try < self::TRIES; ++$try) {
            $own = Placeholder::ofThisProcess($seconds, $this->isLocal, $isTimed);
            $isPut = $this->comparing->add($name, $own->stored(), $own->secondsOfLease());
            if (!$isPut) {
                $stored = $this->store->get($name, $this);
                $there = Placeholder::of($stored);
                if ($there?->isOver($this->isLocal ? $there->age() : 0.0) === false) {
                    return null;
                }
                $own = $there?->takenOverBy($own) ?? $own;
                $isPut = $there !== null
                    && $this->comparing->setIf($name, $there->isSame(...), $own->stored(), $own->secondsOfLease());
            }
            if ($isPut) {
                return new StoreClaim($this->store, $this->comparing, $key, null, $own, $name);
            }
            // It ended, or was taken over, between the two; or the store refuses.
        }

        return $stored === $this ? $this->on($key, null) : null;
    }

    /**
     * @param RememberOptions<mixed> $options
     * @return float|null seconds that a value has left, 0.0 for no expiry; null if it is not known, or over
     */
    private function ttl(RememberOptions $options, StoredValue $there): ?float
    {
        if (Capability::Expiry->isOf($this->store)) {
            $entries = Capability::of($this->store, ExpiryAwareStore::class)->entries([$options->key]);
            $until = ($entries[$options->key] ?? null)?->until;
        } elseif ($there->freshUntil === 0.0) {
            $until = $options->ttl === 0.0 ? 0.0 : null; // not known here; remember() without a ttl stores it like this
        } else {
            $until = $there->freshUntil + $options->stale;
        }
        if ($until === null || $until === 0.0) {
            return $until;
        }
        $left = $until - microtime(true);

        return $left > 0.0 ? $left : null;
    }

    /** @return \Closure(mixed): bool true for what was read */
    private static function isStill(mixed $stored): \Closure
    {
        $value = StoredValue::is($stored) ? StoredValue::of($stored) : null;

        return match (true) {
            $value !== null => $value->isStill(...),
            StoredValue::is($stored) => static fn(mixed $now): bool => StoredValue::found($now) === null, // damaged
            // PHP itself cannot compare an array that contains itself: it ends.
            default => static fn(mixed $now): bool => \is_scalar($stored) && $stored === $now
                || !StoredValue::is($now) && serialize($stored) === serialize($now),
        };
    }
}
