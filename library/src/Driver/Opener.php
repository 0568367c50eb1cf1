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
use Larder\Server\ConnectionSettings;
use Psr\Log\LoggerInterface;

/** What a driver needs to open a store. */
interface Opener
{
    /**
     * The store of a DSN that is nested in another one.
     *
     * @throws InvalidDsn|StoreUnavailable
     */
    public function open(Dsn $dsn): Store;

    /**
     * The first store of auto: that works here.
     *
     * @throws InvalidDsn
     * @throws StoreUnavailable when none does
     */
    public function search(Dsn $dsn): Store;

    /**
     * One store for each server of the DSN, each behind a breaker. The keys are distributed over them.
     *
     * @param \Closure(ConnectionSettings): RemoteStore $connect
     * @throws InvalidDsn
     * @throws StoreUnavailable as connection()
     */
    public function servers(Dsn $dsn, int $defaultPort, \Closure $connect): Store;

    /**
     * How to connect to a server of the DSN, by its options and by what the program gave beside it.
     *
     * @throws InvalidDsn
     * @throws StoreUnavailable when a file for TLS cannot be read
     */
    public function connection(Dsn $dsn, Endpoint $endpoint): ConnectionSettings;

    /**
     * The store behind a breaker, so that an outage does not cost every call a timeout.
     *
     * @param bool $throws StoreFailed, whatever the DSN says
     * @throws InvalidDsn
     */
    public function withBreaker(RemoteStore $store, Dsn $dsn, Endpoint $endpoint, bool $throws = false): Store;

    /**
     * What a cache and its sub-namespaces have together, such as a connection. It is made for the first of them.
     *
     * @template T of object
     * @param class-string<T> $class
     * @param string $key with way(), for what connects
     * @param \Closure(): T $make
     * @return T
     */
    public function shared(string $class, string $key, \Closure $make): object;

    /**
     * What makes two ways to one server differ, of which one may work where the other does not: a login, timeouts, TLS.
     *
     * @return string a hash, since a password belongs to it
     */
    public function way(Dsn $dsn): string;

    /** Receives one line when an outage begins, and one when it ends. */
    public function logger(): LoggerInterface;

    /**
     * The same for a store over a client of the application: the first failure opens the breaker and is logged, since the
     * application uses that connection too. Other processes may have another one, so they do not learn of it.
     *
     * @throws InvalidDsn
     */
    public function withOwnBreaker(RemoteStore $store, Dsn $dsn): Store;

    /**
     * The codec that the options of the DSN ask for.
     *
     * @throws InvalidDsn|StoreUnavailable
     */
    public function codec(Dsn $dsn): Codec;

    /** Counts values that a store cannot read. The codec of codec() counts there by itself. */
    public function failures(): Failures;
}
