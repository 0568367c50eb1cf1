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

/** Services for a driver that opens a store. */
interface Opener
{
    /**
     * The store of a DSN that is nested in another one.
     *
     * @throws InvalidDsn|StoreUnavailable
     */
    public function open(Dsn $dsn): Store;

    /** The processes that share the store of a DSN. With auto: at least these, as each may find another store. */
    public function scope(Dsn $dsn): Scope;

    /**
     * The first store of auto: that works here.
     *
     * @throws InvalidDsn
     * @throws StoreUnavailable if none does
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
     * The settings for a server of the DSN, by its options and by the program's callable for credentials.
     *
     * @throws InvalidDsn
     * @throws StoreUnavailable if a file for TLS cannot be read
     */
    public function connection(Dsn $dsn, Endpoint $endpoint): ConnectionSettings;

    /**
     * The store behind a breaker, so that an outage does not cost every call a timeout.
     *
     * @param bool $throws true for StoreFailed, whatever the DSN says
     * @throws InvalidDsn
     */
    public function withBreaker(RemoteStore $store, Dsn $dsn, Endpoint $endpoint, bool $throws = false): Store;

    /**
     * A breaker for calls to a server outside of a store.
     *
     * @return \Closure(\Closure(): mixed, bool=): mixed makes a call and returns its result; throws the call's
     *         StoreFailed, or one of its own while it is open, unless the second argument is true
     * @throws InvalidDsn
     */
    public function guard(Dsn $dsn, Endpoint $endpoint): \Closure;

    /**
     * An object that a cache and its sub-namespaces share, such as a connection, created at first use.
     *
     * @template T of object
     * @param class-string<T> $class
     * @param string $key includes Dsn::family() for a connection
     * @param \Closure(): T $make
     * @return T
     */
    public function shared(string $class, string $key, \Closure $make): object;

    /**
     * Distinguishes connections to one server, of which only one may work: login, timeouts, TLS.
     *
     * @return string a hash, since it covers a password
     */
    public function way(Dsn $dsn): string;

    /** Receives one line when an outage begins, and one when it ends. */
    public function logger(): LoggerInterface;

    /**
     * The same for a store over a client of the application: the first failure opens the breaker and is logged, since
     * the application uses that connection too. Other processes may have another one, so they do not learn of it.
     *
     * @throws InvalidDsn
     */
    public function withOwnBreaker(RemoteStore $store, Dsn $dsn): Store;

    /**
     * The codec that the options of the DSN ask for.
     *
     * @param string|\Closure(): string $database as for CodecOptions::codec()
     * @throws InvalidDsn|StoreUnavailable
     */
    public function codec(Dsn $dsn, string|\Closure $database = ''): Codec;

    /** Counts values that a store cannot read. The codec of codec() counts there by itself. */
    public function failures(): Failures;
}
