<?php

declare(strict_types=1);

namespace Larder\Driver\Pdo;

use Larder\Driver\HeldClient;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreFailed;
use Larder\Process\Pid;
use Larder\Process\Quietly;
use PDO;
use PDOException;
use PDOStatement;

/**
 * Statements of the cache on a PDO object of the application, each a transaction of its own. None is run while the
 * application has a transaction open: it would be committed and rolled back with that, others would not see it, it would
 * hold locks until then, a deadlock would end it, and in PostgreSQL any error would abort it.
 */
final class PdoConnection
{
    private const STATEMENTS_KEPT = 32;
    private const TRIES = 10;
    /** Bytes of a statement that are not of its values. */
    private const STATEMENT_BYTES = 65_536;
    private const UNLIMITED = 1 << 30;
    private const NANOSECONDS_BETWEEN_LOOKS = 1_000_000_000;

    /** Not a class of the application, whose methods may do something else. */
    private const OPTIONS = [PDO::ATTR_STATEMENT_CLASS => [PDOStatement::class]];

    private ?PDO $prepared = null;
    /** Whose connection has failed. */
    private ?object $lost = null;
    private int $process = 0;
    private int $nextLook = 0;
    private PdoDialect $dialect;
    private int $longest = self::UNLIMITED;
    /** With the database or schema that was the current one at first use. */
    private string $table = PdoDialect::TABLE;
    private string $server = '';

    /** @var array<string, PDOStatement> by their SQL */
    private array $statements = [];

    /** @var list<PDOStatement> of the process this one was forked from: freeing them would end them there too */
    private array $inherited = [];

    public function __construct(private readonly HeldClient $client) {}

    /** @throws StoreFailed */
    public function dialect(): PdoDialect
    {
        $this->ready();

        return $this->dialect;
    }

    /** As NamesServer says. */
    public function server(): ?string
    {
        return $this->prepared !== null && $this->prepared === $this->client->ifThere() ? $this->server : null;
    }

    /**
     * @return int bytes of values that a statement may have: MySQL closes the connection on one that is too long
     * @throws StoreFailed
     */
    public function longest(): int
    {
        $this->ready();

        return $this->longest;
    }

    /**
     * @param list<string|array{string}> $parameters a string in an array is bytes rather than text
     * @return list<list<mixed>> rows
     * @throws PDOException when the server refuses
     * @throws StoreFailed when it is away, or the application is using the connection for something else
     */
    public function rows(string $sql, array $parameters): array
    {
        return $this->run($sql, $parameters, static function (PDOStatement $statement): array {
            /** @var list<list<mixed>> $rows */
            $rows = $statement->fetchAll(PDO::FETCH_NUM);

            // The driver of PostgreSQL gives bytes as streams.
            return array_map(static fn(array $row): array => array_map(
                static fn(mixed $value): mixed => \is_resource($value) ? stream_get_contents($value) : $value,
                $row,
            ), $rows);
        }, 'BEGIN');
    }

    /**
     * @param list<string|array{string}> $parameters as for rows()
     * @return int how many rows were changed
     * @throws PDOException
     * @throws StoreFailed
     */
    public function change(string $sql, array $parameters): int
    {
        return $this->run($sql, $parameters, static fn(PDOStatement $statement): int => $statement->rowCount(), 'BEGIN IMMEDIATE');
    }

    /**
     * @template T
     * @param list<string|array{string}> $parameters
     * @param \Closure(PDOStatement): T $result
     * @return T
     * @throws PDOException
     * @throws StoreFailed
     */
    private function run(string $sql, array $parameters, \Closure $result, string $begin): mixed
    {
        for ($try = 1;; ++$try) {
            try {
                // Warnings are of PDO::ERRMODE_WARNING.
                return Quietly::run(fn(): mixed => $this->execute($sql, $parameters, $result, $begin));
            } catch (PDOException $error) {
                $this->statements = [];
                if ($this->dialect->isBusy($error)) {
                    throw StoreFailed::busy('pdo', 'the application has a transaction open, or reads a result, on its PDO object');
                }
                if ($this->dialect->isLost($error)) {
                    $this->lost = $this->client->ifThere();

                    throw StoreFailed::because('pdo', \sprintf('no proper answer to %s (%s)', $this->client->endpoint(), $error->getMessage()), $error);
                }
                $isMissing = $this->dialect->isMissingTable($error);
                if ($try === self::TRIES || (!$isMissing && !$this->dialect->isConflict($error))) {
                    throw $error;
                }
                if ($isMissing) {
                    $this->makeTable();
                }
            }
        }
    }

    /**
     * Not before it is missed: even to find that it is there, SQLite would wait for other writers.
     *
     * @throws PDOException
     * @throws StoreFailed
     */
    private function makeTable(): void
    {
        $client = $this->ready();
        foreach ($this->dialect->definition() as $statement) {
            try {
                Quietly::run(fn(): mixed => $this->alone($client, 'BEGIN IMMEDIATE', fn(): mixed => $client->exec($this->located($statement)) === false ? throw PdoDialect::error($client) : true));
            } catch (PDOException $error) {
                if (!$this->dialect->isConflict($error)) {
                    throw $error;
                }
            }
        }
    }

    /**
     * @template T
     * @param list<string|array{string}> $parameters
     * @param \Closure(PDOStatement): T $result
     * @return T
     */
    private function execute(string $sql, array $parameters, \Closure $result, string $begin): mixed
    {
        $client = $this->ready();

        return $this->alone($client, $begin, function () use ($client, $sql, $parameters, $result): mixed {
            if (\count($this->statements) >= self::STATEMENTS_KEPT) {
                $this->statements = [];
            }
            $statement = $this->statements[$sql] ?? $client->prepare($this->located($sql), self::OPTIONS);
            unset($this->statements[$sql]); // a signal's handler must not use this one meanwhile
            if ($statement === false) {
                throw PdoDialect::error($client);
            }
            foreach ($parameters as $i => $parameter) {
                $statement->bindValue($i + 1, \is_array($parameter) ? $parameter[0] : $parameter, \is_array($parameter) ? PDO::PARAM_LOB : PDO::PARAM_STR);
            }
            if (!$statement->execute()) {
                throw PdoDialect::error($statement);
            }
            $answer = $result($statement);
            $statement->closeCursor();
            $this->statements[$sql] = $statement;

            return $answer;
        });
    }

    /**
     * A transaction around a statement of SQLite, of which PHP does not tell whether the application has begun one: only
     * BEGIN does, by failing. On the other databases a statement is a transaction.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T
     */
    private function alone(PDO $client, string $begin, \Closure $work): mixed
    {
        if ($this->dialect !== PdoDialect::Sqlite) {
            return $work();
        }
        if ($client->exec($begin) === false) {
            throw PdoDialect::error($client);
        }
        $end = 'ROLLBACK';
        $last = $client->lastInsertId();

        try {
            $answer = $work();
            if ($client->lastInsertId() !== $last) {
                self::restoreLastInsertId($client, (int) $last);
            }
            $end = 'COMMIT';

            return $answer;
        } finally {
            if ($client->exec($end) === false && $end === 'COMMIT') {
                $error = PdoDialect::error($client);
                $client->exec('ROLLBACK');

                throw $error;
            }
        }
    }

    /** The application may ask for that of its own row yet. SQLite knows the rowid last inserted, of whichever table. */
    private static function restoreLastInsertId(PDO $client, int $last): void
    {
        $client->exec('CREATE TEMPORARY TABLE IF NOT EXISTS larder_last (id INTEGER PRIMARY KEY)');
        $client->exec(\sprintf('INSERT INTO temp.larder_last VALUES (%d)', $last));
        $client->exec('DELETE FROM temp.larder_last');
    }

    /** @throws StoreFailed */
    private function ready(): PDO
    {
        $client = $this->client();
        $isBusy = $this->isInTransaction($client);
        if ($isBusy ? $this->isBroken($client) : $client === $this->lost) {
            $isOther = $this->client->renew();
            if (!$isOther && $isBusy) {
                throw StoreFailed::because('pdo', \sprintf('%s has lost its connection', $this->client->endpoint()));
            }
            $client = $this->client();
            $isBusy = $this->isInTransaction($client);
        }
        if ($isBusy) {
            throw StoreFailed::busy('pdo', 'the application has a transaction open on its PDO object');
        }
        $this->lost = null;
        if ($this->prepared === null) {
            $this->lookAtSettings($client);
            $this->prepared = $client;
        }

        return $client;
    }

    /** @throws StoreFailed */
    private function client(): PDO
    {
        /** @var PDO $client */
        $client = $this->client->get();
        if ($client !== $this->prepared) {
            $this->prepared = null;
            $this->takeOver($client);
        }

        return $client;
    }

    private function isInTransaction(PDO $client): bool
    {
        return $client->inTransaction() || ($this->dialect === PdoDialect::MySql && \in_array($client->getAttribute(PDO::ATTR_AUTOCOMMIT), [0, false], true));
    }

    /** Whether the transaction has ended with its connection, which PDO does not notice. The server is asked now and then alone. */
    private function isBroken(PDO $client): bool
    {
        if (!$this->client->isRenewable() || hrtime(true) < $this->nextLook) {
            return false;
        }
        $isBroken = $this->dialect->isBroken($client);
        $this->nextLook = $isBroken ? 0 : (int) hrtime(true) + self::NANOSECONDS_BETWEEN_LOOKS;

        return $isBroken;
    }

    private function takeOver(PDO $client): void
    {
        try {
            $this->dialect = PdoDialect::of($client);
        } catch (NotSupported $refusal) {
            throw StoreFailed::because('pdo', $refusal->getMessage());
        }
        if ($this->client->isInFork() && $client->getAttribute(PDO::ATTR_PERSISTENT) === true) {
            throw $this->client->shared();
        }
        if ($this->process !== Pid::own()) {
            $this->inherited = [...$this->inherited, ...array_values($this->statements)];
            $this->process = Pid::own();
        }
        $this->statements = [];
    }

    /** @throws StoreFailed */
    private function lookAtSettings(PDO $client): void
    {
        $question = $this->dialect->settings();

        try {
            $answer = Quietly::run(static fn(): PDOStatement|false => $client->prepare($question, self::OPTIONS));
            /** @var list<int|string|null>|false $settings */
            $settings = $answer !== false && Quietly::run($answer->execute(...)) ? $answer->fetch(PDO::FETCH_NUM) : throw PdoDialect::error($answer === false ? $client : $answer);
            $answer->closeCursor();
        } catch (PDOException $error) {
            $this->lost = $this->dialect->isLost($error) ? $client : null;

            throw $this->dialect->isBusy($error)
                ? StoreFailed::busy('pdo', 'the application reads a result on its PDO object')
                : StoreFailed::because('pdo', \sprintf('no proper answer to %s (%s)', $this->client->endpoint(), $error->getMessage()), $error);
        }
        [$place, $server, $commits, $packet, $charset] = [...($settings === false ? [] : $settings), null, null, null, null, null];
        $this->table = \in_array($place, [null, ''], true) ? PdoDialect::TABLE : \sprintf('%s.%s', $place, PdoDialect::TABLE);
        // A database in memory is of this object alone.
        $this->server = serialize([$this->dialect, $this->table, \in_array($server, [null, ''], true) ? random_bytes(16) : $server]);
        if ($this->dialect !== PdoDialect::MySql) {
            return;
        }
        if ((int) $commits === 0) {
            throw StoreFailed::busy('pdo', 'each statement of the application opens a transaction on its PDO object (autocommit=0)');
        }
        if (\in_array($charset, PdoDialect::CHARSETS_WITH_BACKSLASHES, true) && $client->quote("\xBF'") === "'\xBF\\''") {
            throw StoreFailed::because('pdo', \sprintf('the application has chosen the character set %s by SET NAMES, of which PDO does not know, so it quotes wrongly: write charset=%s into the DSN of its PDO object', $charset, $charset));
        }
        // Emulated prepares double the length of bytes that they escape.
        $this->longest = max(0, intdiv((int) $packet - self::STATEMENT_BYTES, 2));
    }

    private function located(string $sql): string
    {
        return (string) preg_replace_callback(\sprintf('/\b%s\b/', PdoDialect::TABLE), fn(): string => $this->table, $sql);
    }
}
