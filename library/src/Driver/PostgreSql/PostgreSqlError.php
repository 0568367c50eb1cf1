<?php

declare(strict_types=1);

namespace Larder\Driver\PostgreSql;

/** What the server refused, or what happened to the connection. */
final class PostgreSqlError extends \RuntimeException
{
    /** States of Larder's own, beside the SQLSTATE codes of the server. */
    public const LOST = 'lost';
    public const TIMED_OUT = 'timed out';

    public const QUERY_CANCELED = '57014';
    public const INSUFFICIENT_PRIVILEGE = '42501';
    public const NO_SUCH_TABLE = '42P01';

    /** The server ends the connection, has none left, or does not speak the protocol. */
    private const ENDED = '/^(?:08...|53300|57P0.|lost)$/D';
    /** The columns are others than they were: unknown, of another type, without their index; or a plan was made for others. */
    private const ANOTHER_TABLE = ['42P01', '42703', '42804', '42883', '42P10', '42846', '42809', '0A000'];
    /** A pooler has sent the statement to a server process that did not prepare it. */
    private const NOT_PREPARED = ['26000', '42P05'];

    public function __construct(public readonly string $state, string $message)
    {
        parent::__construct(trim((string) preg_replace('/\s+/', ' ', $message)));
    }

    public function isLost(): bool
    {
        return preg_match(self::ENDED, $this->state) === 1;
    }

    public function isTimeout(): bool
    {
        return $this->state === self::TIMED_OUT || $this->state === self::QUERY_CANCELED;
    }

    public function isAboutTheTable(): bool
    {
        return \in_array($this->state, self::ANOTHER_TABLE, true);
    }

    public function isAboutPreparing(): bool
    {
        return \in_array($this->state, self::NOT_PREPARED, true);
    }
}
