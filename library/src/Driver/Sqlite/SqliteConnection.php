<?php

declare(strict_types=1);

namespace Larder\Driver\Sqlite;

use Larder\Exception\StoreUnavailable;
use Larder\Lock\Backoff;
use Larder\Process\Pid;
use PDO;
use PDOException;
use PDOStatement;

/**
 * A connection to an SQLite file with one table for all namespaces, opened again after a fork and after the file was replaced. It waits for
 * other writers, up to a second, sets a damaged file aside, and evicts from a full one.
 */
final class SqliteConnection
{
    /** How long to wait for other writers. */
    private const BUSY_SECONDS = 1.0;
    /** How long to wait for a process that creates the file: some writes to a disk that may be busy. */
    private const OPENING_SECONDS = 5.0;
    /** Microseconds. SQLite itself would look again after a tenth of a second, when many wait. */
    private const FIRST_PAUSE = 200;
    private const LONGEST_PAUSE = 4_000;

    /** How often it looks whether its file is still there, and how often it repairs and tries again. */
    private const NANOSECONDS_BETWEEN_LOOKS = 100_000_000;
    private const REPAIRS = 8;

    /** SQLite's codes. */
    private const ERROR = 1;
    private const BUSY = 5;
    private const FULL = 13;

    private readonly SqliteFile $file;
    private PDO $database;
    private int $process = 0;
    private int $nextLook = 0;
    private bool $isWithin = false;
    private bool $isEvicting = false;
    /** Of the write that a transaction failed at. */
    private int $bytesRefused = 0;

    /** @var array<string, PDOStatement> by their SQL */
    private array $statements = [];

    /**
     * @param int $maxBytes of the file, 0 for no limit
     * @param \Closure(self, int): bool $evict so many bytes; false when it could not
     * @throws PDOException|StoreUnavailable
     */
    public function __construct(string $file, public readonly int $maxBytes, private readonly \Closure $evict)
    {
        $this->file = new SqliteFile($file);
        $this->connect(self::OPENING_SECONDS);
    }

    /**
     * @param list<string|float|array{string}> $parameters a string in an array is bytes rather than text
     * @param int $bytes that are evicted from a full file
     * @return list<list<mixed>> rows
     * @throws PDOException|StoreUnavailable
     */
    public function run(string $sql, array $parameters, int $bytes = 0): array
    {
        try {
            return $this->execute($sql, $parameters);
        } catch (PDOException $error) {
            $this->bytesRefused = $bytes;

            return $this->tryAgain(fn(): array => $this->execute($sql, $parameters), $error);
        }
    }

    /**
     * All of it or nothing, whatever is thrown.
     *
     * @param \Closure(): bool $work it may be called several times; false when it has changed nothing
     * @return bool false also when that could not be done
     */
    public function transaction(\Closure $work): bool
    {
        try {
            return $this->insist($work);
        } catch (PDOException|StoreUnavailable) {
            return false; // too large, the disk is full, or another writer took too long
        }
    }

    /**
     * The same, throwing what prevents it.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T
     * @throws PDOException|StoreUnavailable
     */
    public function insist(\Closure $work): mixed
    {
        try {
            return $this->allOrNothing($work);
        } catch (PDOException $error) {
            return $this->tryAgain(fn(): mixed => $this->allOrNothing($work), $error);
        }
    }

    /**
     * @template T
     * @param \Closure(): T $work
     * @return T
     */
    private function allOrNothing(\Closure $work): mixed
    {
        if ($this->isWithin) {
            throw new PDOException('a signal came in the middle of a transaction, and its handler began another one');
        }
        $this->ready();
        $database = $this->database;
        $database->exec('BEGIN IMMEDIATE');
        $isDone = false;

        try {
            $this->isWithin = true;
            $result = $work();
            $database->exec('COMMIT'); // of nothing, if that was false: what a signal's handler has stored meanwhile stays
            $isDone = true;

            return $result;
        } finally {
            $this->isWithin = false;
            if (!$isDone) {
                self::rollBack($database);
            }
        }
    }

    /**
     * Waits for others, or repairs what is wrong, and tries again.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T
     */
    private function tryAgain(\Closure $work, PDOException $error): mixed
    {
        $backoff = new Backoff(self::FIRST_PAUSE, self::LONGEST_PAUSE, self::BUSY_SECONDS);
        for ($repairs = 0; $repairs < self::REPAIRS;) {
            if (SqliteFile::code($error) === self::BUSY) {
                if ($backoff->isOver()) {
                    break;
                }
                $backoff->pause();
            } elseif ($this->isWithin || !$this->repair($error)) {
                break;
            } else {
                ++$repairs;
            }

            try {
                return $work();
            } catch (PDOException $error) {
                // once more
            }
        }

        throw $error;
    }

    /** @return bool whether it may go better now */
    private function repair(PDOException $error): bool
    {
        $isDamage = SqliteFile::isDamage($error);
        if (SqliteFile::code($error) === self::FULL) {
            return $this->evict();
        }
        if ($isDamage) {
            $this->file->setAside();
        } elseif (SqliteFile::code($error) !== self::ERROR || !str_contains($error->getMessage(), 'no such table')) {
            return false;
        }
        $this->process = 0;

        return true;
    }

    private function evict(): bool
    {
        if ($this->isEvicting) {
            return false; // so full that nothing can be deleted
        }

        try {
            $this->isEvicting = true;

            return ($this->evict)($this, $this->bytesRefused);
        } catch (PDOException $error) {
            if (SqliteFile::code($error) !== self::FULL) {
                return false;
            }
        } finally {
            $this->isEvicting = false;
        }
        // On a disk so full that SQLite cannot even delete, old values would stay and be read.
        $this->file->discard();
        $this->process = 0;

        return true;
    }

    /**
     * @param list<string|float|array{string}> $parameters
     * @return list<list<mixed>> rows
     */
    private function execute(string $sql, array $parameters): array
    {
        $this->ready();
        $statement = $this->statements[$sql] ?? $this->database->prepare($sql);
        // Kept again when all is done: one that was refused takes no parameters any more, and a signal's handler that
        // comes meanwhile must not use this one.
        unset($this->statements[$sql]);
        foreach ($parameters as $i => $parameter) {
            $statement->bindValue($i + 1, \is_array($parameter) ? $parameter[0] : $parameter, \is_array($parameter) ? PDO::PARAM_LOB : PDO::PARAM_STR);
        }
        $statement->execute();
        /** @var list<list<mixed>> $rows */
        $rows = $statement->fetchAll(PDO::FETCH_NUM);
        $this->statements[$sql] = $statement;

        return $rows;
    }

    private function ready(): void
    {
        if ($this->process !== Pid::own()) {
            $this->connect();
        } elseif (!$this->isWithin && hrtime(true) >= $this->nextLook) {
            $this->nextLook = hrtime(true) + self::NANOSECONDS_BETWEEN_LOOKS;
            if (!$this->file->isSame()) {
                $this->connect();
            }
        }
    }

    private function connect(float $seconds = self::BUSY_SECONDS): void
    {
        $this->process = 0;
        $this->statements = [];
        $this->isWithin = false;
        unset($this->database); // first: a file that was removed keeps its space until it is closed
        $this->database = $this->file->open(fn(PDO $database) => SqliteSchema::prepare($database, $this->maxBytes), $seconds);
        $this->process = Pid::own();
        $this->nextLook = hrtime(true) + self::NANOSECONDS_BETWEEN_LOOKS;
    }

    private static function rollBack(PDO $database): void
    {
        try {
            $database->exec('ROLLBACK');
        } catch (PDOException) {
            // the transaction had not begun, or has ended by the error
        }
    }
}
