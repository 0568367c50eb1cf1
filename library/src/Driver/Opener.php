<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Codec\Codec;
use Larder\Codec\Failures;
use Larder\Contract\RemoteStore;
use Larder\Contract\Store;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;

/** What a driver is given to open a store with. */
interface Opener
{
    /**
     * The store of a DSN that stands inside of another.
     *
     * @throws InvalidDsn|StoreUnavailable
     */
    public function open(Dsn $dsn): Store;

    /**
     * The first store that works here without being named.
     *
     * @throws InvalidDsn
     * @throws StoreUnavailable when none does
     */
    public function search(Dsn $dsn): Store;

    /**
     * One store for each server of the DSN, each behind a breaker; keys are spread over several.
     *
     * @param \Closure(Endpoint): RemoteStore $connect
     * @throws InvalidDsn
     */
    public function servers(Dsn $dsn, int $defaultPort, \Closure $connect): Store;

    /**
     * A store behind a breaker, which does not ask a server again at once that did not answer.
     *
     * @throws InvalidDsn
     */
    public function withBreaker(RemoteStore $store, Dsn $dsn, Endpoint $endpoint): Store;

    /**
     * What turns values into bytes, as the options of the DSN say.
     *
     * @throws InvalidDsn|StoreUnavailable
     */
    public function codec(Dsn $dsn): Codec;

    /** Where a store counts values that it cannot read; codec() counts there by itself. */
    public function failures(): Failures;
}
