<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Contract\Store;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreUnavailable;

/** Opens stores over clients that the application holds: Cache::over(). */
interface ClientDriver
{
    /** @return non-empty-list<string> classes and interfaces of clients, which need not be installed */
    public function clients(): array;

    /** Its name stands in messages; its options are those that do not belong to the client. */
    public function scheme(): Scheme;

    /**
     * Does not call a closure that makes the client.
     *
     * @throws InvalidDsn
     * @throws NotSupported when the store cannot work with the settings of the client
     * @throws StoreUnavailable
     */
    public function over(HeldClient $client, Dsn $dsn, Opener $opener): Store;
}
