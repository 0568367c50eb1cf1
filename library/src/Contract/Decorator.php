<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store in front of others. What it can do depends on them, whatever interfaces its class implements: it reports it. */
interface Decorator extends Store
{
    /** @param class-string $interface such as AtomicStore::class */
    public function supports(string $interface): bool;

    /** The store behind it; one of them where there are several, all of one kind. */
    public function decorated(): Store;
}
