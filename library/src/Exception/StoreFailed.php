<?php

declare(strict_types=1);

namespace Larder\Exception;

use Larder\Internal\Process\LogLine;

/**
 * A server is unreachable, or answers late or wrongly. With on_failure=throw callers receive it, else a miss or false.
 * The server may or may not have executed the call.
 *
 * All methods take the store's scheme, such as "redis", and a description of the failure with the server's name.
 */
final class StoreFailed extends \RuntimeException implements CacheException
{
    public readonly string $what;

    /**
     * @param string $what may contain the server's own words, with line breaks, though an exception may be logged
     * @param bool $isRefusal see refused()
     * @param bool $isBusy see busy()
     * @param bool $isOver see over()
     * @param bool $isOfRequest see ofRequest()
     */
    private function __construct(
        public readonly string $store,
        string $what,
        ?\Throwable $previous,
        public readonly bool $isRefusal = false,
        public readonly bool $isBusy = false,
        public readonly bool $isOver = false,
        public readonly bool $isOfRequest = false,
    ) {
        $this->what = rtrim(LogLine::of($what), '. ');
        parent::__construct(\sprintf('%s: %s', $store, $this->what), 0, $previous);
    }

    public static function because(string $store, string $what, ?\Throwable $previous = null): self
    {
        return new self($store, $what, $previous);
    }

    /** A server that is reachable but refuses this client: a wrong password, a missing right. */
    public static function refused(string $store, string $what, ?\Throwable $previous = null): self
    {
        return new self($store, $what, $previous, true);
    }

    /**
     * A server that answers other requests, and refuses this one for a reason other than its value: it is read-only,
     * its disk is full, the user lacks a right. This is no outage, and an old value may still be readable.
     */
    public static function ofRequest(string $store, string $what, ?\Throwable $previous = null): self
    {
        return new self($store, $what, $previous, isOfRequest: true);
    }

    /**
     * A connection that the server or the network closed, for example when a password rotates, and that a new one
     * replaces. This is no outage.
     */
    public static function over(string $store, string $what, ?\Throwable $previous = null): self
    {
        return new self($store, $what, $previous, isOver: true);
    }

    /**
     * A client that the application is using for something else, such as a transaction. Nothing was sent to the server.
     */
    public static function busy(string $store, string $what): self
    {
        return new self($store, $what, null, isBusy: true);
    }
}
