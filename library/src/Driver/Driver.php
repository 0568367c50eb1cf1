<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Contract\Store;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/**
 * Everything that Larder knows about one kind of store; resolver and commands ask only this interface. Other packages
 * add drivers with Drivers::register(): docs/develop.md.
 */
interface Driver
{
    /** The scheme of its DSNs and their options. */
    public function scheme(): Scheme;

    /**
     * Opens the store without connecting to a server: the store connects on first use.
     *
     * @throws InvalidDsn
     * @throws StoreUnavailable if an extension or a directory is missing
     */
    public function open(Dsn $dsn, Opener $opener): Store;

    /** @return list<Variant> the stores that its DSNs open, the default first; none if it only combines others */
    public function variants(): array;
}
