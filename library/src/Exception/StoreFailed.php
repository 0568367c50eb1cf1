<?php

declare(strict_types=1);

namespace Larder\Exception;

/**
 * A server is unreachable, or answers late or wrongly. Callers receive it with on_failure=throw, else a miss or false. Whether
 * the server has executed the call is unknown.
 */
final class StoreFailed extends \RuntimeException implements CacheException
{
    /**
     * @param string $store its scheme, such as "redis"
     * @param string $what happened, with the server's name, without a full stop
     * @param bool $isRefusal the server is there, and does not let this client in: a wrong password, a missing right
     * @param bool $isOver a connection was lost, and a new one to the same server stands
     * @param bool $isBusy the server was not asked, because the application is using its client for something else now
     */
    private function __construct(
        public readonly string $store,
        public readonly string $what,
        ?\Throwable $previous,
        public readonly bool $isRefusal = false,
        public readonly bool $isBusy = false,
        public readonly bool $isOver = false,
    ) {
        parent::__construct(\sprintf('%s: %s', $store, $what), 0, $previous);
    }

    /**
     * @param string $store its scheme
     * @param string $what happened, with the server's name
     */
    public static function because(string $store, string $what, ?\Throwable $previous = null): self
    {
        return new self($store, rtrim($what, '.'), $previous);
    }

    /**
     * A server that is there and does not let this client in.
     *
     * @param string $store its scheme
     * @param string $what it says, with its name
     */
    public static function refused(string $store, string $what, ?\Throwable $previous = null): self
    {
        return new self($store, rtrim($what, '.'), $previous, true);
    }

    /**
     * A connection that the server or the network closed, as when a password rotates, while a new one stands: no outage.
     *
     * @param string $store its scheme
     * @param string $what happened, with the server's name
     */
    public static function over(string $store, string $what, ?\Throwable $previous = null): self
    {
        return new self($store, rtrim($what, '.'), $previous, isOver: true);
    }

    /**
     * A client that the application uses for something else now, such as a transaction. Nothing was sent to the server.
     *
     * @param string $store its scheme
     * @param string $what for what
     */
    public static function busy(string $store, string $what): self
    {
        return new self($store, rtrim($what, '.'), null, isBusy: true);
    }
}
