<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PostgreSql;

/** A statement that the server refused, or a connection that failed. */
final class PostgreSqlError extends \RuntimeException
{
    /** States of Larder's own, besides the server's SQLSTATE codes. */
    public const LOST = 'lost';
    public const TIMED_OUT = 'timed out';

    public const QUERY_CANCELED = '57014';
    public const INSUFFICIENT_PRIVILEGE = '42501';
    /** The server is a standby, for example. */
    public const READ_ONLY = '25006';
    public const IS_PREPARED = '42P05';

    /** The server ends the connection, has none left, or does not speak the protocol. */
    private const ENDED = '/^(?:08...|53300|57P0.|lost)$/D';
    /** The table is missing or has changed: other columns, types or indexes, or a plan for the old ones. */
    public const TABLE_CHANGED = ['42P01', '42703', '42804', '42883', '42P10', '42846', '42809', '0A000'];
    /** Another transaction was first, and this one was rolled back. */
    public const CONFLICTS = ['40001', '40P01'];
    /** A pooler has sent the statement to a server process that did not prepare it. */
    public const NOT_PREPARED = ['26000', self::IS_PREPARED];

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

    /** @param list<string> $states */
    public function is(array $states): bool
    {
        return \in_array($this->state, $states, true);
    }
}
