<?php

declare(strict_types=1);

namespace Larder\Driver\Sqlite;

use Larder\Exception\StoreUnavailable;
use Larder\Lock\Backoff;
use Larder\Process\Quietly;
use PDO;
use PDOException;

/**
 * The file of an SQLite store: made whole, opened, and set aside when it is damaged.
 *
 * SQLite finds what belongs to the file by its name (`-wal`, `-shm`), so the file must not change while somebody opens it:
 * who makes it or sets it aside holds `<file>.lock`, and who opens it shares that lock.
 */
final class SqliteFile
{
    /** How long others are waited for who open the file, by one who sets it aside. */
    private const ASIDE_SECONDS = 1.0;
    private const TRIES = 5;
    /** Microseconds. */
    private const FIRST_PAUSE = 200;
    private const LONGEST_PAUSE = 4_000;

    /** What SQLite makes beside a file. */
    private const BESIDE = ['-wal', '-shm', '-journal'];

    /** How a database begins. */
    private const HEAD = "SQLite format 3\0";
    /** Stands in `<file>.lock` once the file was opened as a cache. */
    private const MARK = "larder\n";

    private const CORRUPT = 11;
    private const NOT_A_DATABASE = 26;

    /** Where the file really is: SQLite follows links before it makes files beside it. */
    private string $place;
    /** Device and inode of the file that is open. */
    private string $opened = '';
    /** The same of the file that was last found to be a cache. */
    private string $prepared = '';

    public function __construct(private readonly string $path)
    {
        $this->place = $path;
    }

    /**
     * @param \Closure(PDO): void $prepare makes what is missing in it
     * @param float $seconds to wait for others who make the file or set it aside, at most
     * @throws PDOException
     * @throws StoreUnavailable when another user could have put it there, or it is not a cache
     */
    public function open(\Closure $prepare, float $seconds): PDO
    {
        $this->place = SqliteTrust::check($this->path, self::BESIDE);
        $end = hrtime(true) + 1e9 * $seconds;
        for ($try = 1;; ++$try) {
            try {
                return $this->openOrCreate($prepare, $end);
            } catch (PDOException $error) {
                clearstatcache();
                // Somebody may be removing it all the time.
                if ($try === self::TRIES || (!self::isDamage($error) && file_exists($this->place))) {
                    throw $error;
                }
            }
            if (self::isDamage($error)) {
                if (!$this->isCache()) {
                    throw $this->refusal('is damaged', $error);
                }
                $this->setAside();
            }
        }
    }

    /** Whether the file of that name is still the one that was opened. */
    public function isSame(): bool
    {
        clearstatcache(true, $this->path);

        return self::identity($this->path) === $this->opened;
    }

    public static function isDamage(PDOException $error): bool
    {
        return \in_array(self::code($error), [self::CORRUPT, self::NOT_A_DATABASE], true);
    }

    /** @return int SQLite's primary result code, 0 when there is none */
    public static function code(PDOException $error): int
    {
        $code = $error->errorInfo[1] ?? 0;

        return \is_int($code) ? $code & 0xFF : 0;
    }

    /** Renames the file that was opened to `<file>.corrupt`, unless another process has done so. The last one is kept. */
    public function setAside(): void
    {
        $this->abandonFile(fn(): bool => rename($this->place, $this->place . '.corrupt'));
    }

    /** Removes the file that was opened, unless another process has done so. */
    public function discard(): void
    {
        $this->abandonFile(function (): bool {
            self::remove($this->place . '.corrupt');

            return unlink($this->place);
        });
    }

    /** @param \Closure(): bool $remove */
    private function abandonFile(\Closure $remove): void
    {
        $lock = $this->lock(\LOCK_EX, self::ASIDE_SECONDS);
        if ($lock === null) {
            return;
        }
        clearstatcache();
        if (self::identity($this->place) === $this->opened && $this->isCache()) {
            $this->removeBeside();
            Quietly::run($remove);
        }
        self::free($lock);
    }

    /**
     * Makes the file under another name and moves it into place whole: values were lost when several processes turned
     * the same new file to write-ahead mode. What a process left that was killed meanwhile is removed.
     *
     * @param \Closure(PDO): void $prepare
     */
    private function create(\Closure $prepare, float $seconds): void
    {
        $lock = $this->lock(\LOCK_EX, $seconds);
        if ($lock === null) {
            return; // opening says why it cannot be
        }

        try {
            clearstatcache();
            if (file_exists($this->place)) {
                return;
            }
            $this->removeUnfinished();
            $new = \sprintf('%s.%s.new', $this->place, bin2hex(random_bytes(8)));
            $file = self::opened($new, 'x');
            if ($file === false) {
                return;
            }
            fclose($file);
            chmod($new, 0o600);
            $prepare(self::connect($new));
            // Of a file that was removed before: SQLite would take them for this one's.
            $this->removeBeside();
            rename($new, $this->place);
        } finally {
            self::free($lock);
        }
    }

    /**
     * @param \Closure(PDO): void $prepare
     * @param float $end until when others are waited for, by hrtime()
     */
    private function openOrCreate(\Closure $prepare, float $end): PDO
    {
        clearstatcache();
        if (!file_exists($this->place)) {
            $this->create($prepare, self::secondsTo($end));
        } elseif (!$this->beginsAsADatabase() && !$this->isCache()) {
            throw $this->refusal('is not an SQLite database'); // before a lock is made beside it
        }
        $lock = $this->lock(\LOCK_SH, self::secondsTo($end));
        $this->opened = self::identity($this->place);

        try {
            $database = self::connect($this->place);
            $prepare($database);
            $this->prepared = $this->opened;
            if ($lock !== null && (fstat($lock)['size'] ?? 0) === 0) {
                Quietly::run(static fn(): int|false => fwrite($lock, self::MARK));
            }

            return $database;
        } finally {
            self::free($lock);
        }
    }

    /** An empty file does too: SQLite makes a database of it. */
    private function beginsAsADatabase(): bool
    {
        $head = Quietly::run(fn(): string|false => file_get_contents($this->place, length: \strlen(self::HEAD)));

        return $head === false || $head === '' || $head === self::HEAD; // why it cannot be read, SQLite says
    }

    /** Whether the file was a cache before it was damaged. A wrong DSN may name anything else, which stays. */
    private function isCache(): bool
    {
        return ($this->prepared !== '' && $this->prepared === $this->opened)
            || Quietly::run(fn(): string|false => file_get_contents($this->place . '.lock')) === self::MARK;
    }

    /** @param string $what it is */
    private function refusal(string $what, ?PDOException $cause = null): StoreUnavailable
    {
        return StoreUnavailable::because(
            'sqlite',
            \sprintf('%s %s, and was never a cache of Larder', $this->path, $what),
            'Name another file, or remove this one',
            $cause,
        );
    }

    private static function secondsTo(float $end): float
    {
        return max(0.0, ($end - hrtime(true)) / 1e9);
    }

    private function removeBeside(): void
    {
        foreach (self::BESIDE as $suffix) {
            self::remove($this->place . $suffix);
        }
    }

    private function removeUnfinished(): void
    {
        $pattern = \sprintf('/^%s\.[0-9a-f]{16}\.new(-wal|-shm|-journal)?$/D', preg_quote(basename($this->place), '/'));
        foreach (Quietly::run(fn(): array => (array) scandir(\dirname($this->place))) as $name) {
            if (\is_string($name) && preg_match($pattern, $name) === 1) {
                self::remove(\dirname($this->place) . '/' . $name);
            }
        }
    }

    private static function remove(string $file): void
    {
        if (file_exists($file)) {
            Quietly::run(static fn(): bool => unlink($file));
        }
    }

    /**
     * @param \LOCK_SH|\LOCK_EX $kind
     * @return resource|null null when it could not be acquired in time
     */
    private function lock(int $kind, float $seconds): mixed
    {
        // "e": what this process executes must not keep the lock when this process dies.
        $file = self::opened($this->place . '.lock', 'ce');
        if ($file === false) {
            return null;
        }
        if (((fstat($file)['mode'] ?? 0) & 0o077) !== 0) {
            Quietly::run(fn(): bool => chmod($this->place . '.lock', 0o600)); // who can open it can hold it
        }
        $backoff = new Backoff(self::FIRST_PAUSE, self::LONGEST_PAUSE, $seconds);
        while (!flock($file, $kind | \LOCK_NB)) {
            if ($backoff->isOver()) {
                fclose($file);

                return null;
            }
            $backoff->pause();
        }

        return $file;
    }

    /**
     * What it makes is for this user alone from the first moment: who has opened a file keeps it, whatever becomes of its mode.
     *
     * @return resource|false
     */
    private static function opened(string $file, string $mode): mixed
    {
        $mask = umask(0o077);

        try {
            return Quietly::run(static fn(): mixed => fopen($file, $mode));
        } finally {
            umask($mask);
        }
    }

    /** @param resource|null $lock */
    private static function free(mixed $lock): void
    {
        if ($lock !== null) {
            fclose($lock);
        }
    }

    /** @return string "" when there is none */
    private static function identity(string $file): string
    {
        $stat = Quietly::run(static fn(): array|false => stat($file));

        return $stat === false ? '' : $stat['dev'] . ':' . $stat['ino'];
    }

    private static function connect(string $file): PDO
    {
        return new PDO('sqlite:' . $file, null, null, [
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            PDO::ATTR_TIMEOUT => 0, // see SqliteConnection
            PDO::SQLITE_ATTR_OPEN_FLAGS => PDO::SQLITE_OPEN_READWRITE, // it is made by create() alone
        ]);
    }
}
