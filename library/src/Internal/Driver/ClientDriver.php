<?php

declare(strict_types=1);

namespace Larder\Internal\Driver;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreUnavailable;

/** Opens stores over the application's clients: Cache::over(). */
interface ClientDriver
{
    /** @return non-empty-list<string> classes and interfaces of clients, which need not be installed */
    public function clients(): array;

    /** Its name is used in messages; its options are those that do not belong to the client. */
    public function scheme(): Scheme;

    /**
     * Does not call the closure for the client.
     *
     * @throws InvalidDsn
     * @throws NotSupported if the store cannot work with the settings of the client
     * @throws StoreUnavailable
     */
    public function over(BorrowedClient $client, Dsn $dsn, Opener $opener): Store;
}
