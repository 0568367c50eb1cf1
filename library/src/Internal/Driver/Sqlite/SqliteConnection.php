<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sqlite;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Sql\Dialect;
use Larder\Internal\Driver\Sql\SqlConnection;
use Larder\Internal\Driver\Sql\SqliteDialect;
use Larder\Internal\Driver\Sql\Statements;
use Larder\Internal\Driver\Sql\Trouble;
use Larder\Key\Ttl;
use Larder\Process\Pid;
use PDO;
use PDOException;

/**
 * A connection to an SQLite file, shared by all processes of one user on one machine (not over a network file system),
 * with one table for all namespaces. It is opened again after a fork and after the file was replaced, which is noticed
 * within a tenth of a second. Thanks to the write-ahead log readers never wait; writers wait for each other, up to a
 * second. A damaged file is set aside as `<file>.corrupt` and recreated; from a full one, values are evicted.
 */
final class SqliteConnection extends SqlConnection
{
    public const NAME = 'sqlite';

    private const BUSY_SECONDS = 1.0;
    /** Limit for waiting for a process that creates the file, on a disk that may be busy. */
    private const OPENING_SECONDS = 5.0;
    private const NANOSECONDS_BETWEEN_LOOKS = 100_000_000;
    private const REPAIRS = 8;
    private const STATEMENTS_KNOWN = 64;
    /** Limits of an eviction: rows, and bytes that it frees at least. */
    private const ROWS_AT_ONCE = 1000;
    private const LEAST_EVICTED = 65_536;
    /** SQLite's code for a full disk, or a file at its limit. */
    private const FULL = 13;

    private readonly SqliteFile $file;
    private readonly Statements $statements;
    private PDO $database;
    private int $process = 0;
    private int $nextLook = 0;
    private bool $isEvicting = false;
    /** @var array<string, string> statements as SQLite takes them: translating costs a fifth of a get */
    private array $known = [];

    /**
     * @param int $maxBytes of the file, 0 for no limit; beyond it, values are evicted
     * @throws StoreUnavailable
     */
    public function __construct(
        string $file,
        int $maxBytes = 0,
        bool $isPersistent = false,
        private readonly Dialect $dialect = new SqliteDialect(),
    ) {
        // The exception and its parents are loaded for this call alone.
        if (!class_exists(PDO::class, false) || !\in_array('sqlite', PDO::getAvailableDrivers(), true)) {
            StoreUnavailable::unlessLoaded('sqlite', 'pdo_sqlite', 'sqlite3');
        }
        $this->statements = new Statements();
        $this->file = new SqliteFile($file, $maxBytes, $this->dialect, $isPersistent);

        try {
            $this->connect(self::OPENING_SECONDS);
        } catch (PDOException $cause) {
            throw StoreUnavailable::because(
                'sqlite',
                \sprintf('%s cannot be opened (%s)', $file, $cause->getMessage()),
                \sprintf(
                    'The directory %s must be there and writable, and the file an SQLite database of this user',
                    \dirname($file),
                ),
                $cause,
            );
        }
    }

    public function dialect(): Dialect
    {
        return $this->dialect;
    }

    /** Without a limit, a full disk makes it evict. */
    public function evicts(): bool
    {
        return true;
    }

    public function rows(string $sql, array $parameters): array
    {
        try {
            return $this->run($sql, $parameters)[0];
        } catch (PDOException|StoreUnavailable) {
            return []; // another writer took too long
        }
    }

    public function change(string $sql, array $parameters, bool $mayRepeat = true): ?int
    {
        try {
            return $this->run($sql, $parameters)[1];
        } catch (PDOException|StoreUnavailable) {
            return null; // too large, the disk is full, or another writer took too long
        }
    }

    /**
     * Waits for other writers, or repairs the file, and tries again.
     *
     * @param list<string|int|array{string}> $parameters
     * @return array{list<list<mixed>>, int} as Statements::run()
     * @throws PDOException|StoreUnavailable
     */
    public function run(string $sql, array $parameters): array
    {
        if (\count($this->known) > self::STATEMENTS_KNOWN) {
            $this->known = [];
        }
        $sql = $this->known[$sql] ??= $this->dialect->sql($sql, SqliteFile::TABLE);
        $backoff = null;
        for ($repairs = 0;;) {
            try {
                $this->ready();

                return $this->statements->run($this->database, $sql, $parameters);
            } catch (PDOException $error) {
                if (SqliteFile::code($error) === SqliteFile::BUSY) {
                    $backoff ??= SqliteFile::backoff(self::BUSY_SECONDS);
                    if ($backoff->isOver()) {
                        throw $error;
                    }
                    $backoff->pause();
                } elseif (++$repairs > self::REPAIRS || !$this->repair($error, $parameters)) {
                    throw $error;
                }
            }
        }
    }

    /**
     * @param list<string|int|array{string}> $parameters
     * @return bool true if another try may succeed
     */
    private function repair(PDOException $error, array $parameters): bool
    {
        if (SqliteFile::code($error) === self::FULL) {
            return $this->evict(self::bytes($parameters));
        }
        if (SqliteFile::isDamage($error)) {
            $this->file->setAside();
        } elseif (Statements::trouble($this->dialect, $error) === Trouble::MissingTable) {
            $this->file->forget();
        } else {
            return false;
        }
        $this->process = 0;

        return true;
    }

    private function evict(int $bytes): bool
    {
        if ($this->isEvicting) {
            return false; // so full that nothing can be deleted
        }

        try {
            $this->isEvicting = true;

            return $this->deleteSome($bytes);
        } catch (PDOException $error) {
            if (SqliteFile::code($error) !== self::FULL) {
                return false;
            }
        } finally {
            $this->isEvicting = false;
        }
        // On a disk so full that SQLite cannot even delete, old values would stay readable.
        $this->file->discard();
        $this->process = 0;

        return true;
    }

    /**
     * Deletes expired values; if there are none, those written longest ago, which have the least rowid.
     *
     * @return bool false if there is nothing to delete, or not enough for a value of so many bytes
     */
    private function deleteSome(int $bytes): bool
    {
        /** @var array{array{int}} $rows */
        [$rows] = $this->run('SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()', []);
        if (2 * $bytes > $rows[0][0]) {
            return false;
        }

        try {
            // On a full disk the log itself may find no space.
            $this->run('PRAGMA wal_checkpoint(TRUNCATE)', []);
        } catch (PDOException) {
            // nor does the file, which may still reuse its own pages
        }
        $now = Ttl::microseconds(microtime(true));
        $limit = self::ROWS_AT_ONCE;
        [$sql, $parameters] = $this->dialect->delete('', [], 'expires > 0 AND expires <= ?', [$now], $limit);
        if ($this->run($sql, $parameters)[1] > 0) {
            return true;
        }
        $sql = "SELECT rowid, length(value) + length(full_key) FROM {table} ORDER BY rowid LIMIT $limit";
        $freed = $last = 0;
        /** @var array{int, int} $row */
        foreach ($this->run($sql, [])[0] as $row) {
            if ($freed >= max(2 * $bytes, self::LEAST_EVICTED)) {
                break;
            }
            [$last] = $row;
            $freed += $row[1];
        }

        return $this->run('DELETE FROM {table} WHERE rowid <= ?', [$last])[1] > 0;
    }

    private function ready(): void
    {
        if ($this->process !== Pid::own()) {
            $this->connect(self::BUSY_SECONDS);
        } elseif (hrtime(true) >= $this->nextLook) {
            $this->nextLook = hrtime(true) + self::NANOSECONDS_BETWEEN_LOOKS;
            if (!$this->file->isSame()) {
                $this->connect(self::BUSY_SECONDS);
            }
        }
    }

    private function connect(float $seconds): void
    {
        $this->process = 0;
        $this->statements->kept = [];
        unset($this->database); // first: a removed file keeps its space until it is closed
        $this->database = $this->file->open($seconds);
        $this->process = Pid::own();
        $this->nextLook = hrtime(true) + self::NANOSECONDS_BETWEEN_LOOKS;
    }
}
