<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Wire;

/**
 * A server that cannot be listened to now: it is unreachable, refuses, or has closed the connection. The message says
 * which.
 */
final class ServerGone extends \RuntimeException
{
    /** @param string $how the remedy; empty if none is known */
    public function __construct(string $message, public readonly string $how = '', ?\Throwable $previous = null)
    {
        parent::__construct($message, previous: $previous);
    }
}
