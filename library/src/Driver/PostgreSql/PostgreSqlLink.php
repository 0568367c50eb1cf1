<?php

declare(strict_types=1);

namespace Larder\Driver\PostgreSql;

use Larder\Process\Pid;
use Larder\Process\Quietly;
use PgSql\Connection;
use PgSql\Result;

/**
 * One open connection. Each call has a deadline, which PDO and pg_query() cannot have: libpq waits for an answer without
 * end when the server is stopped or hangs. So a statement is sent, and its answer is waited for by stream_select().
 */
final class PostgreSqlLink
{
    /** libpq takes less for this. */
    private const LEAST_CONNECT_SECONDS = 2;
    /** Microseconds. */
    private const PAUSE = 500;
    /** A statement is prepared when it is run so often: to prepare one that is run once takes a round trip more. */
    private const RUNS_TO_PREPARE = 3;
    private const STATEMENTS_PREPARED = 32;
    private const FRESH_NANOSECONDS = 50_000_000;
    /** Of a connection that is closed; a hostile server can have sent any number. */
    private const RESULTS_DISCARDED = 1000;

    /** @var array<string, int> how often each was run, by their SQL */
    private array $runs = [];
    /** @var array<string, string> names by their SQL */
    private array $prepared = [];
    private int $usedAt = 0;

    /** @param resource $socket */
    private function __construct(
        private readonly Connection $connection,
        private readonly mixed $socket,
        private readonly bool $prepares,
    ) {}

    /**
     * @param \SensitiveParameterValue $settings libpq's connection string, which may hold a password
     * @throws PostgreSqlError
     */
    public static function open(\SensitiveParameterValue $settings, float $seconds, bool $persistent, bool $prepares): self
    {
        $warning = 'pg_connect() failed';
        set_error_handler(static function (int $level, string $message) use (&$warning): true {
            $warning = $message;

            return true;
        });

        try {
            /** @var string $text */
            $text = $settings->getValue();
            // The process is part of the name, so that a fork is never given the persistent connection of its parent.
            $text .= \sprintf(" application_name='larder %d' connect_timeout=%d", Pid::own(), max(self::LEAST_CONNECT_SECONDS, ceil($seconds)));
            $deadline = hrtime(true) + 1e9 * $seconds;
            $connection = $persistent ? pg_pconnect($text) : pg_connect($text, \PGSQL_CONNECT_FORCE_NEW | \PGSQL_CONNECT_ASYNC);
            if ($connection !== false && !$persistent) {
                try {
                    self::finish($connection, $deadline);
                } catch (PostgreSqlError $error) {
                    self::abandon($connection);

                    throw $error;
                }
            } elseif ($connection !== false && pg_transaction_status($connection) !== \PGSQL_TRANSACTION_IDLE) {
                pg_connection_reset($connection); // a request before this one has ended while it waited for an answer
            }
            $socket = $connection === false ? false : pg_socket($connection);
            if ($connection === false || $socket === false || pg_connection_status($connection) !== \PGSQL_CONNECTION_OK) {
                throw new PostgreSqlError(PostgreSqlError::LOST, $connection === false ? $warning : pg_last_error($connection));
            }
            stream_set_blocking($socket, true); // which makes libpq's side non-blocking: PHP hands the flag on as it is

            return new self($connection, $socket, $prepares && !$persistent);
        } finally {
            restore_error_handler();
        }
    }

    /**
     * @param list<string> $parameters as text
     * @throws PostgreSqlError after LOST and TIMED_OUT the link is of no use any more
     */
    public function run(string $sql, array $parameters, float $seconds): Result
    {
        return Quietly::run(function () use ($sql, $parameters, $seconds): Result {
            $deadline = hrtime(true) + 1e9 * $seconds;
            $name = $this->prepares ? $this->preparedAs($sql, $deadline) : null;
            // As in open(): pg_connection_busy() has undone it, and PHP sleeps for 10 ms where the buffer of the socket is full.
            stream_set_blocking($this->socket, true);

            return $this->answer($name === null
                ? pg_send_query_params($this->connection, $sql, $parameters)
                : pg_send_execute($this->connection, $name, $parameters), $deadline);
        });
    }

    /**
     * Several statements in one transaction.
     *
     * @throws PostgreSqlError
     */
    public function runAll(string $sql, float $seconds): void
    {
        Quietly::run(fn(): Result => $this->answer(pg_send_query($this->connection, $sql), hrtime(true) + 1e9 * $seconds));
    }

    /**
     * To be called when an answer may still be on its way: it must not be taken for that of the next statement. To free the
     * connection would wait for it, too.
     */
    public function discard(): void
    {
        Quietly::run(fn() => self::abandon($this->connection));
    }

    /** Whether the server has ended the connection while nothing was asked, or said what nobody asked for. */
    public function isStale(): bool
    {
        if (hrtime(true) - $this->usedAt < self::FRESH_NANOSECONDS) {
            return false; // a look costs as much as a tenth of a statement
        }
        $read = [$this->socket];
        $write = $except = null;

        return Quietly::run(static function () use (&$read, &$write, &$except): bool {
            return stream_select($read, $write, $except, 0) !== 0;
        });
    }

    private static function abandon(Connection $connection): void
    {
        $stream = pg_socket($connection);
        $socket = $stream !== false && \function_exists('socket_import_stream') ? socket_import_stream($stream) : false;
        if ($socket !== false && socket_shutdown($socket)) {
            for ($results = 0; $results < self::RESULTS_DISCARDED && pg_get_result($connection) !== false; ++$results);
        } else {
            pg_connection_reset($connection); // which a stopped server makes wait for connect_timeout
        }
    }

    /** @throws PostgreSqlError */
    private static function finish(Connection $connection, float $deadline): void
    {
        while (true) {
            $state = pg_connect_poll($connection);
            if ($state === \PGSQL_POLLING_OK || $state === \PGSQL_POLLING_FAILED) {
                return;
            }
            $socket = pg_socket($connection); // another one when libpq tries the next of several addresses
            if ($socket === false) {
                return;
            }
            self::await($socket, $state === \PGSQL_POLLING_WRITING, $deadline);
        }
    }

    /** @throws PostgreSqlError */
    private function preparedAs(string $sql, float $deadline): ?string
    {
        if (isset($this->prepared[$sql])) {
            return $this->prepared[$sql];
        }
        $this->runs[$sql] = ($this->runs[$sql] ?? 0) + 1;
        if ($this->runs[$sql] < self::RUNS_TO_PREPARE || \count($this->prepared) >= self::STATEMENTS_PREPARED) {
            return null;
        }
        $name = 'larder_' . \count($this->prepared);
        $this->answer(pg_send_prepare($this->connection, $name, $sql), $deadline);

        return $this->prepared[$sql] = $name;
    }

    /**
     * @param int|bool $sent true, 0 when a part is sent, false
     * @return Result the last of those that come
     * @throws PostgreSqlError
     */
    private function answer(int|bool $sent, float $deadline): Result
    {
        while ($sent === 0) {
            self::await($this->socket, true, $deadline);
            pg_connection_busy($this->connection); // reads: the server may wait for that
            $sent = pg_flush($this->connection);
        }
        $last = $failed = null;
        while ($sent !== false) {
            while (pg_connection_busy($this->connection) && pg_connection_status($this->connection) === \PGSQL_CONNECTION_OK) {
                self::await($this->socket, false, $deadline);
            }
            $result = pg_get_result($this->connection);
            if ($result === false) {
                break;
            }
            $last = $result;
            if (hrtime(true) > $deadline) {
                throw new PostgreSqlError(PostgreSqlError::TIMED_OUT, 'timeout');
            }
            if (\in_array(pg_result_status($result), [\PGSQL_COPY_IN, \PGSQL_COPY_OUT], true)) {
                throw new PostgreSqlError(PostgreSqlError::LOST, 'the reply is of another kind');
            }
            $failed = \in_array(pg_result_status($result), [\PGSQL_COMMAND_OK, \PGSQL_TUPLES_OK], true) ? $failed : $failed ?? $result;
        }
        $this->usedAt = (int) hrtime(true);
        if ($failed !== null) {
            $state = pg_result_error_field($failed, \PGSQL_DIAG_SQLSTATE);

            throw new PostgreSqlError(\is_string($state) ? $state : PostgreSqlError::LOST, (string) pg_result_error($failed));
        }

        return $last ?? throw new PostgreSqlError(PostgreSqlError::LOST, pg_last_error($this->connection));
    }

    /**
     * @param resource $socket
     * @throws PostgreSqlError
     */
    private static function await(mixed $socket, bool $toWrite, float $deadline): void
    {
        $left = (int) (($deadline - hrtime(true)) / 1000);
        if ($left <= 0) {
            throw new PostgreSqlError(PostgreSqlError::TIMED_OUT, 'timeout');
        }
        $read = [$socket];
        $write = $toWrite ? [$socket] : null;
        $except = null;
        if (stream_select($read, $write, $except, intdiv($left, 1_000_000), $left % 1_000_000) === false) {
            usleep(self::PAUSE); // a signal, or more open files than select() takes
        }
    }
}
