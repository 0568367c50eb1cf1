<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store in front of others, whose capabilities depend on theirs. */
interface Decorator extends Store
{
    /** @param class-string $interface such as AtomicStore::class */
    public function supports(string $interface): bool;

    /** The store behind it. If there are several, they are of one kind, and this is one of them. */
    public function decorated(): Store;
}
