<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PostgreSql;

use Larder\Internal\Process\Functions;
use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;
use PgSql\Connection;
use PgSql\Result;

/**
 * One open connection. With PDO and pg_query() libpq would wait for a hanging server without end. So each call has a
 * deadline: a statement is sent, and stream_select() waits for its answer.
 */
final class PostgreSqlLink
{
    /** libpq raises a smaller number to this. */
    private const LEAST_CONNECT_SECONDS = 2;
    /** Microseconds. */
    private const PAUSE = 500;
    /** A statement is prepared at its third run, since that takes a round trip. */
    private const RUNS_TO_PREPARE = 3;
    private const STATEMENTS_PREPARED = 32;
    private const STATEMENTS_OF_A_SESSION = 256;
    /** Each namespace has statements of its own. */
    private const STATEMENTS_COUNTED = 256;
    private const FRESH_NANOSECONDS = 50_000_000;
    /** Limit when a connection is closed: a hostile server may have sent any number. */
    private const RESULTS_DISCARDED = 1000;

    /** @var array<string, int> number of runs by SQL */
    private array $runs = [];
    /** @var array<string, string> names of statements by SQL */
    private array $prepared = [];
    private int $usedAt = 0;
    private bool $prepares = false;

    /** @param resource $socket */
    private function __construct(
        private readonly Connection $connection,
        private readonly mixed $socket,
        private readonly bool $persistent,
        private readonly bool $mayPrepare,
    ) {}

    /**
     * @param \SensitiveParameterValue $settings libpq's connection string, which may hold a password
     * @param string $options more of it
     * @throws PostgreSqlError
     */
    public static function open(
        \SensitiveParameterValue $settings,
        string $options,
        float $seconds,
        bool $persistent,
        bool $mayPrepare,
    ): self {
        $warning = 'pg_connect() failed';
        set_error_handler(static function (int $level, string $message) use (&$warning): true {
            $warning = $message;

            return true;
        });

        try {
            /** @var string $text */
            $text = $settings->getValue();
            // The process is part of the name, so that a fork never receives the persistent connection of its parent.
            $text .= \sprintf(" application_name='larder %d'", Pid::own()) . $options
                . ' connect_timeout=' . max(self::LEAST_CONNECT_SECONDS, (int) ceil($seconds));
            $deadline = hrtime(true) + 1e9 * $seconds;
            $connection = $persistent
                ? pg_pconnect($text)
                : pg_connect($text, \PGSQL_CONNECT_FORCE_NEW | \PGSQL_CONNECT_ASYNC);
            if ($connection !== false && !$persistent) {
                try {
                    self::finish($connection, $deadline);
                } catch (PostgreSqlError $error) {
                    self::abandon($connection);

                    throw $error;
                }
            } elseif ($connection !== false && pg_transaction_status($connection) !== \PGSQL_TRANSACTION_IDLE) {
                pg_connection_reset($connection); // an earlier request ended while it waited for an answer
            }
            if ($connection === false) {
                throw new PostgreSqlError(PostgreSqlError::LOST, $warning);
            }
            $socket = pg_socket($connection);
            if ($socket === false || pg_connection_status($connection) !== \PGSQL_CONNECTION_OK) {
                throw new PostgreSqlError(PostgreSqlError::LOST, pg_last_error($connection));
            }
            stream_set_blocking($socket, true); // PHP hands the flag to libpq, where true is non-blocking

            return new self($connection, $socket, $persistent, $mayPrepare);
        } finally {
            restore_error_handler();
        }
    }

    /**
     * @param list<string> $parameters as text
     * @param string|null $name for a statement that later requests shall find prepared
     * @throws PostgreSqlError after LOST and TIMED_OUT the link is useless
     */
    public function run(string $sql, array $parameters, float $seconds, ?string $name = null): Result
    {
        return Warnings::suppress(function () use ($sql, $parameters, $seconds, $name): Result {
            $deadline = hrtime(true) + 1e9 * $seconds;
            $name = $this->prepares ? $this->preparedAs($sql, $deadline, $name) : null;
            $this->block();

            return $this->answer($name === null
                ? pg_send_query_params($this->connection, $sql, $parameters)
                : pg_send_execute($this->connection, $name, $parameters), $deadline);
        });
    }

    /**
     * @param list<string> $parameters as text
     * @return Result|null null if no earlier request prepared it in this session
     * @throws PostgreSqlError as run()
     */
    public function runPrepared(string $name, array $parameters, float $seconds): ?Result
    {
        try {
            return Warnings::suppress(function () use ($name, $parameters, $seconds): Result {
                $this->block();

                $sent = pg_send_execute($this->connection, $name, $parameters);

                return $this->answer($sent, hrtime(true) + 1e9 * $seconds);
            });
        } catch (PostgreSqlError $error) {
            return $error->is(PostgreSqlError::NOT_PREPARED) ? null : throw $error;
        }
    }

    /** As in open(), but pg_connection_busy() undoes it: PHP would sleep 10 ms if the socket's buffer is full. */
    private function block(): void
    {
        stream_set_blocking($this->socket, true);
    }

    /**
     * Finds out if the session is this connection's alone. A pooler gives its clients process ids of its own, and lends
     * one session to many of them: nothing is prepared there.
     *
     * @param int $process of the server, by its own account
     * @param int $prepared number of statements that the session has
     * @return bool false for a persistent connection to a pooler
     */
    public function isServedBy(int $process, int $prepared = 0): bool
    {
        $isAlone = pg_get_pid($this->connection) === $process;
        $this->prepares = $this->mayPrepare && $isAlone && $prepared < self::STATEMENTS_OF_A_SESSION;

        return $isAlone || !$this->persistent;
    }

    /**
     * Several statements in one transaction.
     *
     * @return Result of the last one
     * @throws PostgreSqlError
     */
    public function runAll(string $sql, float $seconds): Result
    {
        $deadline = hrtime(true) + 1e9 * $seconds;

        return Warnings::suppress(fn() => $this->answer(pg_send_query($this->connection, $sql), $deadline));
    }

    /**
     * Call this if an answer may still arrive, which would be taken for that of the next statement. Freeing the
     * connection would wait for that answer, too.
     */
    public function discard(): void
    {
        Warnings::suppress(fn() => self::abandon($this->connection));
    }

    /** True if the server has ended an idle connection, or has sent something unasked. */
    public function isStale(): bool
    {
        if (hrtime(true) - $this->usedAt < self::FRESH_NANOSECONDS) {
            return false; // a look costs a tenth of a statement
        }
        $read = [$this->socket];
        $write = $except = null;

        return Warnings::suppress(static function () use (&$read, &$write, &$except): bool {
            return stream_select($read, $write, $except, 0) !== 0;
        });
    }

    /**
     * @param string $bySockets never passed: see Larder\Process\Pid
     * @param string $end never passed
     */
    private static function abandon(
        Connection $connection,
        string $bySockets = 'socket_import_stream',
        string $end = 'socket_shutdown',
    ): void {
        $stream = pg_socket($connection);
        $hasSockets = \function_exists($bySockets) && \function_exists($end);
        $socket = $stream !== false && $hasSockets ? socket_import_stream($stream) : false;
        if ($socket !== false && socket_shutdown($socket)) {
            for ($results = 0; $results < self::RESULTS_DISCARDED && pg_get_result($connection) !== false; ++$results);
        } else {
            pg_connection_reset($connection); // with a stopped server this waits for connect_timeout
        }
    }

    private static function finish(Connection $connection, float $deadline): void
    {
        while (true) {
            $state = pg_connect_poll($connection);
            if ($state === \PGSQL_POLLING_OK || $state === \PGSQL_POLLING_FAILED) {
                return;
            }
            $socket = pg_socket($connection); // another one if libpq tries the next of several addresses
            if ($socket === false) {
                return;
            }
            self::await($socket, $state === \PGSQL_POLLING_WRITING, $deadline);
        }
    }

    private function preparedAs(string $sql, float $deadline, ?string $name): ?string
    {
        if (isset($this->prepared[$sql])) {
            return $this->prepared[$sql];
        }
        if (\count($this->prepared) >= self::STATEMENTS_PREPARED) {
            return null;
        }
        if (\count($this->runs) >= self::STATEMENTS_COUNTED) {
            $this->runs = [];
        }
        $this->runs[$sql] = ($this->runs[$sql] ?? 0) + 1;
        if ($name === null && $this->runs[$sql] < self::RUNS_TO_PREPARE) {
            return null;
        }
        $name ??= 'larder_' . \count($this->prepared);

        try {
            $this->answer(pg_send_prepare($this->connection, $name, $sql), $deadline);
        } catch (PostgreSqlError $error) {
            if ($error->state !== PostgreSqlError::IS_PREPARED || !$this->persistent) {
                throw $error;
            }
        }

        return $this->prepared[$sql] = $name;
    }

    /**
     * @param int|bool $sent true, 0 when a part is sent, false
     * @return Result the last one
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
            while (
                pg_connection_busy($this->connection)
                && pg_connection_status($this->connection) === \PGSQL_CONNECTION_OK
            ) {
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
            if (!\in_array(pg_result_status($result), [\PGSQL_COMMAND_OK, \PGSQL_TUPLES_OK], true)) {
                $failed ??= $result;
            }
        }
        $this->usedAt = (int) hrtime(true);
        if ($failed !== null) {
            $state = pg_result_error_field($failed, \PGSQL_DIAG_SQLSTATE);

            $state = \is_string($state) ? $state : PostgreSqlError::LOST;

            throw new PostgreSqlError($state, (string) pg_result_error($failed));
        }

        return $last ?? throw new PostgreSqlError(PostgreSqlError::LOST, pg_last_error($this->connection));
    }

    /** @param resource $socket */
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
            Functions::sleep(self::PAUSE); // a signal, or more open files than select() takes
        }
    }
}
