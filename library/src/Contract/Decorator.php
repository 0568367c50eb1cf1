<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store in front of others. It reports its capabilities, because they depend on those others. */
interface Decorator extends Store
{
    /** @param class-string $interface such as AtomicStore::class */
    public function supports(string $interface): bool;

    /** The store behind it; one of them where there are several, all of one kind. */
    public function decorated(): Store;
}
