<?php

declare(strict_types=1);

namespace Larder\Internal\Dsn;

/** The DSN of a cache that is opened without one. In a file of its own, because it reads PHP's variables. */
final class DefaultDsn
{
    private const VARIABLE = 'LARDER_DSN';

    /** @return string "auto:" if the variable is not set, or empty */
    public static function get(): string
    {
        // Programs that read .env files often set only the first two. No request can: its headers begin with HTTP_.
        foreach ([$_SERVER[self::VARIABLE] ?? null, $_ENV[self::VARIABLE] ?? null, getenv(self::VARIABLE)] as $dsn) {
            if (\is_string($dsn) && $dsn !== '') {
                return $dsn;
            }
        }

        return 'auto:';
    }
}
