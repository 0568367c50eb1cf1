<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Drivers;
use Larder\Exception\NotSupported;

/**
 * What only some stores can do. Each capability is an interface: a store has it if its class implements the interface. The
 * class of a Decorator implements what it can pass on, so a decorator reports which of that the store behind it has.
 */
enum Capability: string
{
    case Atomic = AtomicStore::class;
    case Lock = LockingStore::class;
    case Keys = ListableStore::class;
    case Expiry = ExpiryAwareStore::class;
    case Prune = PrunableStore::class;

    /**
     * The store as one that can do what the interface asks for.
     *
     * @template S of Store
     * @template T of object
     * @param S $store
     * @param class-string<T> $interface of a case
     * @return S&T
     * @throws NotSupported
     */
    public static function of(Store $store, string $interface): Store
    {
        if ($store instanceof $interface && (!$store instanceof Decorator || $store->supports($interface))) {
            return $store;
        }
        $capability = self::from($interface);

        throw new NotSupported(\sprintf('%s cannot %s. Stores that can: %s', $capability->nameOfLacking($store), $capability->words(), implode(', ', $capability->stores())));
    }

    /** What follows "can". */
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
        return is_a($store, $this->value) && (!$store instanceof Decorator || $store->supports($this->value));
    }

    /** @return list<string> the stores of Larder that can do this, by name */
    public function stores(): array
    {
        return array_keys(array_filter(Drivers::stores(), fn(string $class): bool => is_a($class, $this->value, true)));
    }

    /** The store behind decorators, or the decorator that does not pass this on. */
    private function nameOfLacking(Store $store): string
    {
        while ($store instanceof Decorator && !$this->isOf($store->decorated())) {
            $store = $store->decorated();
        }

        return $store instanceof Decorator ? $store::class : self::nameOf($store);
    }

    /** As in stores(); the class of a store that is not Larder's. */
    public static function nameOf(Store $store): string
    {
        if ($store instanceof Decorator) {
            return self::nameOf($store->decorated());
        }
        $name = array_search($store::class, Drivers::stores(), true);

        return $name === false ? $store::class : $name;
    }
}
