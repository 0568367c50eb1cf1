<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Contract\Store;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/**
 * All that Larder knows of one kind of store: the resolver, doctor, compare and stampede ask for it here. Drivers of other
 * packages are added by Drivers::register(). docs/adding-a-store.md.
 */
interface Driver
{
    /** What its DSNs look like. */
    public function scheme(): Scheme;

    /**
     * Connects to no server: that is done when it is first needed.
     *
     * @throws InvalidDsn
     * @throws StoreUnavailable when an extension or a directory is missing
     */
    public function open(Dsn $dsn, Opener $opener): Store;

    /** @return list<Variant> the stores that its DSNs open, the default first; none when it only combines others */
    public function variants(): array;
}
