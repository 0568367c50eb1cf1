<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

/**
 * A working server has not executed a command, because another server is responsible, or none is at the moment. This is
 * no failure of the server, so no breaker counts it.
 */
final class Redirection extends \RuntimeException
{
    private const WORDS = '/^(?:(MOVED|ASK) (\d{1,5}) '
        . '(\S*):(\d{1,5})$|(?:READONLY|CLUSTERDOWN|TRYAGAIN|MASTERDOWN|LOADING) )/D';

    /**
     * @param int|null $slot slot that another server has; null if the error does not name one
     * @param string $host host of that server; empty for the one that answered
     * @param bool $isOnce true if the redirection is only for this command, because the slot is being moved there
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

    /** @return self|null null for any other error */
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
