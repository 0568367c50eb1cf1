<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\NotSupported;

/**
 * Abilities that only some stores have. A store has a capability if its class implements its interface. A decorator
 * implements what it can pass on, and reports which of that the store behind it has.
 */
enum Capability: string
{
    case Atomic = AtomicStore::class;
    case Lock = LockingStore::class;
    case Keys = ListableStore::class;
    case Expiry = ExpiryAwareStore::class;
    case Prune = PrunableStore::class;

    /**
     * @template S of Store
     * @template T of object
     * @param S $store
     * @param class-string<T> $interface of a case
     * @return S&T the store, typed as one with this interface
     * @throws NotSupported
     */
    public static function of(Store $store, string $interface): Store
    {
        if ($store instanceof $interface && self::has($store, $interface)) {
            return $store;
        }
        $capability = self::from($interface);

        while ($store instanceof Decorator && !$capability->isOf($store->decorated())) {
            $store = $store->decorated(); // name the store behind, or the decorator that does not pass this on
        }

        throw new NotSupported(\sprintf(
            'The store %s cannot %s. docs/stores.md lists the stores that can',
            $store::class,
            $capability->words(),
        ));
    }

    /** @param class-string $interface of a case */
    public static function has(Store $store, string $interface): bool
    {
        return $store instanceof $interface && (!$store instanceof Decorator || $store->supports($interface));
    }

    /** The words that follow "can". */
    public function words(): string
    {
        return match ($this) {
            self::Atomic => 'change a value in one step',
            self::Lock => 'lock',
            self::Keys => 'list its keys',
            self::Expiry => 'tell when a value expires',
            self::Prune => 'prune what has expired',
        };
    }

    public function isOf(Store $store): bool
    {
        return self::has($store, $this->value);
    }

    /** The store's own name, or that of its class without "Store", such as "redis". Decorators are looked through. */
    public static function nameOf(Store $store): string
    {
        return match (true) {
            $store instanceof Decorator => self::nameOf($store->decorated()),
            $store instanceof \Stringable => (string) $store,
            default => strtolower((string) preg_replace('/^.*\\\\|Store$/', '', $store::class)),
        };
    }
}
