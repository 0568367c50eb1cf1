<?php

declare(strict_types=1);

namespace Larder\Event;

/**
 * A store failed to do what was asked. The server's message is not included, because it may repeat a password: the
 * cache's logger receives it, once for each outage.
 */
final class Failed implements Event
{
    /**
     * @param string $store its scheme, such as "redis"
     * @param string $where the server is, such as "127.0.0.1:6379"; '' without a server, or if the reason is in a value
     * @param string $reason one of Reason, or of Larder\Codec\Failure
     */
    public function __construct(
        public readonly string $store,
        public readonly string $where,
        public readonly string $reason,
    ) {}
}
