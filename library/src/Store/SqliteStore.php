<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Backoff;
use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Exception\StoreUnavailable;
use Larder\Pid;
use Larder\Store\Capability\Adds;
use Larder\Store\Capability\Counts;
use Larder\Store\Capability\Lists;
use Larder\Store\Capability\Locks;
use Larder\Store\Capability\Replaces;
use Larder\Store\Capability\Swaps;
use Larder\Store\Capability\TellsExpiry;
use Larder\Store\Capability\Touches;
use PDO;
use PDOException;
use PDOStatement;

/**
 * An SQLite file: shared by all processes of one user on one machine (not over a network file system), kept over restarts.
 *
 * In write-ahead mode, so readers never wait for the writer; writers wait for each other, a second at most. What has
 * expired keeps its row until it is written over, deleted or cleared.
 */
final class SqliteStore implements Store, Adds, Replaces, Counts, Touches, Swaps, Locks, Lists, TellsExpiry
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use KeepsBytes;
    use OneByOne;
    use PacksByCodec;

    /** How long others are waited for who write. */
    private const BUSY_SECONDS = 1.0;
    /** Microseconds. SQLite itself would look again after a tenth of a second, when many wait. */
    private const FIRST_PAUSE = 200;
    private const LONGEST_PAUSE = 4_000;

    /** How long opening waits for others who make the file or close it: some writes to a disk that may be busy. */
    private const OPENING_SECONDS = 5.0;

    /** SQLite's code for a database locked by another. */
    private const BUSY = 5;

    private PDO $database;
    private int $process = 0;

    /** @var array<string, PDOStatement> by their SQL */
    private array $statements = [];

    /** @throws StoreUnavailable */
    public function __construct(
        private readonly string $file,
        private readonly string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
    ) {
        NamespaceName::check($namespace);
        StoreUnavailable::unlessLoaded('sqlite', 'pdo_sqlite', 'sqlite3');

        try {
            $this->connect();
        } catch (PDOException $cause) {
            throw StoreUnavailable::because(
                'sqlite',
                \sprintf('%s cannot be opened (%s)', $file, $cause->getMessage()),
                \sprintf('The directory %s must be there and writable, and the file an SQLite database of this user', \dirname($file)),
                $cause,
            );
        }
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $bytes = $this->codec->encode($value, $key);
        $until = Ttl::until($ttl);

        try {
            $this->write($key, $bytes, $until);

            return true;
        } catch (PDOException) {
            $this->delete($key); // too large, the disk is full, or another writer took too long

            return false;
        }
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $keys = Key::of($values);
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);

        $isWritten = $this->transaction(function () use ($keys, $encoded, $until): bool {
            foreach ($keys as $i => $key) {
                $this->write($key, $encoded[$i], $until);
            }

            return true;
        });
        if (!$isWritten) {
            // As well as may be: whoever was in the way may be so still, and is waited for once, not for each key.
            $this->transaction(function () use ($keys): bool {
                array_map($this->delete(...), $keys);

                return true;
            });
        }

        return $isWritten;
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        return $this->tries('DELETE FROM larder WHERE namespace = ? AND key = ?', [$this->namespace, [$key]]);
    }

    public function clear(): bool
    {
        return $this->tries('DELETE FROM larder WHERE namespace = ?', [$this->namespace]);
    }

    public function keys(): iterable
    {
        try {
            $rows = $this->run('SELECT key FROM larder WHERE namespace = ? AND (expires = 0 OR expires > ?)', [$this->namespace, microtime(true)]);
        } catch (PDOException) {
            return;
        }
        foreach ($rows as [$key]) {
            if (\is_string($key)) {
                yield $key;
            }
        }
    }

    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);

        return $this->transaction(function () use ($key, $change): bool {
            $old = $this->row($key);
            $new = $change($old);
            if ($new === null) {
                $this->run('DELETE FROM larder WHERE namespace = ? AND key = ?', [$this->namespace, [$key]]);
            } elseif ($new !== false) {
                $this->write($key, $new->stored, $new->until ?? $old->until ?? 0.0);
            }

            return $new !== false;
        });
    }

    /** @return Entry<string>|null */
    private function found(string $key): ?Entry
    {
        try {
            return $this->row($key);
        } catch (PDOException) {
            return null;
        }
    }

    /**
     * @return Entry<string>|null
     * @throws PDOException
     */
    private function row(string $key): ?Entry
    {
        $rows = $this->run(
            'SELECT value, expires FROM larder WHERE namespace = ? AND key = ? AND (expires = 0 OR expires > ?)',
            [$this->namespace, [$key], microtime(true)],
        );
        /** @var array{string, float}|null $found */
        $found = $rows[0] ?? null;

        return $found === null ? null : new Entry($found[0], $found[1]);
    }

    private function bytes(string $key): ?string
    {
        Key::check($key);

        try {
            $rows = $this->run(
                'SELECT value FROM larder WHERE namespace = ? AND key = ? AND (expires = 0 OR expires > ?)',
                [$this->namespace, [$key], microtime(true)],
            );
            $bytes = $rows[0][0] ?? null;
        } catch (PDOException) {
            return null;
        }

        return \is_string($bytes) ? $bytes : null;
    }

    private function write(string $key, string $bytes, float $until): void
    {
        $this->run('REPLACE INTO larder (namespace, key, value, expires) VALUES (?, ?, ?, ?)', [$this->namespace, [$key], [$bytes], $until]);
    }

    /** @param list<string|float|array{string}> $parameters */
    private function tries(string $sql, array $parameters): bool
    {
        try {
            $this->run($sql, $parameters);

            return true;
        } catch (PDOException) {
            return false;
        }
    }

    /**
     * @param list<string|float|array{string}> $parameters a string in an array is bytes rather than text
     * @return list<list<mixed>> rows
     * @throws PDOException
     */
    private function run(string $sql, array $parameters): array
    {
        $this->ready();

        return self::patiently(self::BUSY_SECONDS, function () use ($sql, $parameters): array {
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
        });
    }

    /**
     * All of it or nothing, whatever is thrown.
     *
     * @param \Closure(): bool $work false to leave everything as it was
     */
    private function transaction(\Closure $work): bool
    {
        try {
            $this->ready();
            self::patiently(self::BUSY_SECONDS, fn(): int|false => $this->database->exec('BEGIN IMMEDIATE'));
        } catch (PDOException) {
            return false; // another writer took too long
        }
        $isDone = false;

        try {
            if ($work()) {
                $this->database->exec('COMMIT');
                $isDone = true;
            }
        } catch (PDOException) {
            // too large, or the disk is full
        } finally {
            if (!$isDone) {
                $this->rollBack();
            }
        }

        return $isDone;
    }

    /**
     * Does it again for as long as another process is in the way.
     *
     * @template T
     * @param \Closure(): T $work
     * @return T
     * @throws PDOException
     */
    private static function patiently(float $seconds, \Closure $work): mixed
    {
        $backoff = null;
        while (true) {
            try {
                return $work();
            } catch (PDOException $error) {
                $backoff ??= new Backoff(self::FIRST_PAUSE, self::LONGEST_PAUSE, $seconds);
                if (($error->errorInfo[1] ?? null) !== self::BUSY || $backoff->isOver()) {
                    throw $error;
                }
            }
            $backoff->pause();
        }
    }

    /** @throws PDOException */
    private function ready(): void
    {
        if ($this->process !== Pid::own()) {
            $this->connect();
        }
    }

    /** @throws PDOException */
    private function connect(): void
    {
        if (!file_exists($this->file)) {
            $this->create();
        }
        $this->statements = [];
        $this->database = self::open($this->file);
        self::prepareFile($this->database);
        $this->process = Pid::own();
    }

    /**
     * Makes the file under another name and moves it into place whole: values were lost when several processes turned
     * the same new file to write-ahead mode. One process does that, others wait. If it is killed the next one goes on
     * with what it left, so nothing stays.
     */
    private function create(): void
    {
        $new = $this->file . '.new';
        $lock = $this->waitForTurn($new, microtime(true) + self::OPENING_SECONDS);
        if ($lock === null) {
            return; // it is there now, or opening says why it cannot be
        }

        try {
            chmod($new, 0o600);
            self::prepareFile(self::open($new));
            file_exists($this->file) ? unlink($new) : rename($new, $this->file); // somebody else's, or of one who waited too long
        } finally {
            fclose($lock);
        }
    }

    /** @return resource|null the file of that name, locked; null when nothing is to be done or can be */
    private function waitForTurn(string $new, float $until)
    {
        while (!file_exists($this->file) && microtime(true) < $until) {
            $lock = @fopen($new, 'c');
            if ($lock === false) {
                break;
            }
            clearstatcache(false, $new);
            // It may be another one's by the time that it is locked, or in its place already.
            if (flock($lock, \LOCK_EX | \LOCK_NB) && (fstat($lock)['ino'] ?? null) === @fileinode($new)) {
                return $lock;
            }
            fclose($lock);
            usleep(1000);
        }

        return null;
    }

    /** @throws PDOException */
    private static function open(string $file): PDO
    {
        return new PDO('sqlite:' . $file, null, null, [
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            PDO::ATTR_TIMEOUT => 0, // see patiently()
        ]);
    }

    /** @throws PDOException */
    private static function prepareFile(PDO $database): void
    {
        self::patiently(self::OPENING_SECONDS, static function () use ($database): void {
            $database->exec('PRAGMA journal_mode = WAL');
            // A power cut may lose the last values, and never damages the file.
            $database->exec('PRAGMA synchronous = NORMAL');
            $database->exec(
                'CREATE TABLE IF NOT EXISTS larder (namespace TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,'
                . ' expires REAL NOT NULL, PRIMARY KEY (namespace, key))',
            );
        });
    }

    private function rollBack(): void
    {
        try {
            $this->database->exec('ROLLBACK');
        } catch (PDOException) {
            // the transaction had not begun, or has ended by the error
        }
    }
}
