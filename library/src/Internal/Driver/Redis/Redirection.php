<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

/**
 * A server that works has not executed a command, because another one is in charge, or none at the moment. It is no
 * failure of that server, so no breaker counts it.
 */
final class Redirection extends \RuntimeException
{
    private const WORDS = '/^(?:(MOVED|ASK) (\d{1,5}) '
        . '(\S*):(\d{1,5})$|(?:READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|LOADING) )/D';

    /**
     * @param int|null $slot that is at another server; null when the server does not say which
     * @param string $host of that server; empty: the one that answered
     * @param bool $isOnce only this command is for it: the slot is on its way there
     */
    private function __construct(
        string $message,
        public readonly ?int $slot = null,
        public readonly string $host = '',
        public readonly int $port = 0,
        public readonly bool $isOnce = false,
    ) {
        parent::__construct($message);
    }

    /** @return self|null null for an error that is about something else */
    public static function of(string $error): ?self
    {
        if (preg_match(self::WORDS, $error, $words) !== 1) {
            return null;
        }

        return isset($words[1])
            ? new self($error, (int) $words[2], $words[3], (int) $words[4], $words[1] === 'ASK')
            : new self($error);
    }

    public static function noMaster(string $role): self
    {
        return new self(\sprintf('its role is %s', $role));
    }
}
