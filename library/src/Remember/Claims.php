<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\Store;

/**
 * Claims on the keys of a store, for computations that begin. Where there is no value of use, a placeholder is put (see
 * StoredValue); one that is there already is shared, whether or not who put it lives: as long as it is there, nobody wrote.
 */
final class Claims
{
    /** Seconds that a placeholder is kept at least. A computation that takes longer is not stored, unless its lease is longer. */
    private const KEPT = 3600.0;

    /** Null where computations are not kept apart either. */
    private readonly AtomicStore|InTwoSteps|null $comparing;

    public function __construct(private readonly Store $store)
    {
        $this->comparing = match (true) {
            Capability::Atomic->isOf($store) => Capability::of($store, AtomicStore::class),
            Capability::Lock->isOf($store) => new InTwoSteps($store),
            default => null,
        };
    }

    /** On a value that is to be recomputed. */
    public function onFound(string $key, StoredValue $found): Claim
    {
        return $this->comparing === null ? Claim::onAnything($this->store, $key) : Claim::on($this->comparing, $key, $found);
    }

    /**
     * On nothing, without a look.
     *
     * @return Claim|null null where something is, or the store refused, or cannot tell in one step
     */
    public function onNothing(string $key, float $lease): ?Claim
    {
        $placeholder = StoredValue::placeholder();

        return $this->comparing !== null && !$this->comparing instanceof InTwoSteps && $this->comparing->add($key, $placeholder->stored(), max(self::KEPT, $lease))
            ? Claim::on($this->comparing, $key, $placeholder) : null;
    }

    /**
     * On what is no value of use: nothing, a placeholder, or a value that is out of date, which goes.
     *
     * @param mixed $stored what was there; $nothing for nothing
     * @return Claim|null null when it is not there any more, or the store refused
     */
    public function onMissing(string $key, mixed $stored, object $nothing, float $lease): ?Claim
    {
        if ($this->comparing === null) {
            return Claim::onAnything($this->store, $key);
        }
        $seconds = max(self::KEPT, $lease);
        if ($stored === $nothing) {
            $placeholder = StoredValue::placeholder();
            $isPut = $this->comparing->add($key, $placeholder->stored(), $seconds);
            if (!$isPut && $this->store->get($key, $nothing) === $nothing) {
                $this->store->delete($key); // something that get() cannot read is in the way
                $isPut = $this->comparing->add($key, $placeholder->stored(), $seconds);
            }

            return $isPut ? Claim::on($this->comparing, $key, $placeholder) : null;
        }
        $there = StoredValue::of($stored);
        if ($there === null) {
            $this->store->delete($key); // damaged

            return null;
        }
        // One that is there may be near its end: it is kept for as long again.
        $placeholder = $there->isPlaceholder() ? $there->shared() : StoredValue::placeholder();

        return $this->comparing->setIf($key, $there->isStill(...), $placeholder->stored(), $seconds) ? Claim::on($this->comparing, $key, $placeholder) : null;
    }

    /**
     * On whatever is there, which stays if others may still take it, but those who computed before can store no more.
     *
     * @param RememberOptions<mixed> $options
     * @param mixed $stored what was there; $nothing for nothing
     * @param bool $isOfUse whether it is a value that others may still take
     * @return Claim|null null when it is not there any more, or the store refused
     */
    public function onAny(RememberOptions $options, mixed $stored, object $nothing, bool $isOfUse): ?Claim
    {
        $there = StoredValue::is($stored) ? StoredValue::of($stored) : null;
        if ($stored === $nothing || (StoredValue::is($stored) && $there === null)) {
            return $this->onMissing($options->key, $stored, $nothing, (float) $options->lease);
        }
        if ($this->comparing === null || $this->comparing instanceof InTwoSteps) {
            return Claim::onAnything($this->store, $options->key);
        }
        $ttl = $isOfUse ? $this->ttl($options, $there ?? new StoredValue($stored)) : null;
        $new = $ttl === null ? StoredValue::placeholder() : ($there ?? new StoredValue($stored))->marked();
        $isExpected = static fn(mixed $now): bool => $there === null ? self::isSame($stored, $now) : $there->isStill($now);

        return $this->comparing->setIf($options->key, $isExpected, $new->stored(), $ttl ?? max(self::KEPT, (float) $options->lease))
            ? Claim::on($this->comparing, $options->key, $new) : null;
    }

    /**
     * What a value that is there has left. No longer than that may it be there.
     *
     * @param RememberOptions<mixed> $options
     * @return float|null seconds, 0.0 for no expiry; null when it is not known, or over
     */
    private function ttl(RememberOptions $options, StoredValue $there): ?float
    {
        if (Capability::Expiry->isOf($this->store)) {
            $until = (Capability::of($this->store, ExpiryAwareStore::class)->entries([$options->key])[$options->key] ?? null)?->until;
        } else {
            // The engine does not tell. Without an expiry a value is stored as remember() stores it that has none.
            $until = $there->freshUntil === 0.0 ? ($options->ttl === 0.0 ? 0.0 : null) : $there->freshUntil + $options->stale;
        }
        $left = $until === null ? 0.0 : $until - microtime(true);

        return $until === 0.0 ? 0.0 : ($left > 0.0 ? $left : null);
    }

    /** PHP itself cannot compare an array that holds itself: it ends. */
    private static function isSame(mixed $before, mixed $now): bool
    {
        return \is_scalar($before) && $before === $now || !StoredValue::is($now) && serialize($before) === serialize($now);
    }
}
