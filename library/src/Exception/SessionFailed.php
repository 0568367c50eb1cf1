<?php

declare(strict_types=1);

namespace Larder\Exception;

/**
 * A session could not be read or written. No message names the session: its id is a secret.
 *
 * Thrown by session_start(), session_write_close() and the like, over Larder\Session\Handler.
 */
final class SessionFailed extends \RuntimeException implements CacheException
{
    public static function locked(float $seconds): self
    {
        return new self("The session could not be locked within $seconds s: another request holds it. "
            . 'Let long requests call session_write_close() as soon as they can, or raise "wait"');
    }

    public static function unreachable(): self
    {
        return new self('The session could not be locked or read: its store is full or unreachable');
    }

    public static function lockEnded(): self
    {
        return new self('The session was not written: its lock had ended before, and another request may have it. '
            . 'Close the session earlier, or raise "lockSeconds"');
    }

    public static function refused(): self
    {
        return new self('The session was not written: its store is full or unreachable, the session is too large, '
            . 'or what is stored was changed without its lock or cannot be read any more');
    }

    public static function notDestroyed(): self
    {
        return new self('The session was not destroyed: its store is unreachable');
    }

    public static function invalidId(): self
    {
        return new self('A session id has 1 to 256 of A-Z a-z 0-9 , and -. '
            . 'With session.use_strict_mode=1 an invalid one is replaced');
    }
}
