<?php

declare(strict_types=1);

namespace Larder\Event;

/**
 * A store did not do what it was asked to do. There is no message of a server in it, which may repeat a password; the logger of
 * the cache receives that, once for each outage.
 */
final class Failed implements Event
{
    /**
     * @param string $store its scheme, such as "redis"
     * @param string $where the server is, such as "127.0.0.1:6379"; '' for a store without one, and where the reason is in a value
     * @param string $reason one of Reason, or of Larder\Codec\Failure
     */
    public function __construct(public readonly string $store, public readonly string $where, public readonly string $reason) {}
}
