<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sqlite;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Sql\Dialect;
use Larder\Internal\Filesystem\GuardedFolder;
use Larder\Internal\Filesystem\TrustedPath;
use Larder\Internal\Lock\Backoff;
use Larder\Internal\Process\User;
use Larder\Internal\Process\Warnings;
use Larder\Process\Pid;
use PDO;
use Pdo\Sqlite;
use PDOException;

/**
 * The file of an SQLite store: created whole, opened, and set aside if it is damaged.
 *
 * SQLite finds the files next to it by name (`-wal`, `-shm`), so the file must not be replaced while a process opens
 * it. A process that creates it or sets it aside holds `<file>.lock`; a process that opens it shares that lock.
 */
final class SqliteFile
{
    public const TABLE = 'larder';

    /** Limit for waiting for processes that open the file, before it is set aside. */
    private const ASIDE_SECONDS = 1.0;
    /** Limit for waiting before the table is created: others may be writing to a disk that is busy. */
    private const PREPARE_SECONDS = 5.0;
    private const TRIES = 5;

    private const BESIDE = ['-wal', '-shm', '-journal'];
    private const HEAD = "SQLite format 3\0";
    /** Content of `<file>.lock` once the file was opened as a cache. */
    private const MARK = "larder\n";
    /** Bytes that a longer log is cut to. */
    private const LOG_LENGTH = 4 * 1024 * 1024;

    public const BUSY = 5;
    private const CORRUPT = 11;
    private const NOT_A_DATABASE = 26;

    /** Path without links, which SQLite follows before it creates files next to it. */
    private string $place;
    /** Device and inode of the file that is open. */
    private string $opened = '';
    /** The same of the file that was last found to be a cache. */
    private string $prepared = '';
    private bool $isTableMissing = false;

    /**
     * @param int $maxBytes 0 for no limit
     * @param bool $isKept true if later requests of this process get the same connection
     */
    public function __construct(
        private readonly string $path,
        private readonly int $maxBytes,
        private readonly Dialect $dialect,
        private readonly bool $isKept = false,
    ) {
        $this->place = $path;
    }

    /** Microseconds of a pause: SQLite itself, with many waiting, would look again after a tenth of a second. */
    public static function backoff(float $seconds): Backoff
    {
        return new Backoff(200, 4_000, $seconds);
    }

    /** Call this if the table is missing: the next open() creates it. */
    public function forget(): void
    {
        $this->isTableMissing = true;
    }

    /**
     * @param float $seconds to wait for processes that create the file or set it aside, at most
     * @throws PDOException
     * @throws StoreUnavailable if another user could have written it, or it is not a cache
     */
    public function open(float $seconds): PDO
    {
        if (ini_get('open_basedir') !== '') {
            $warnings = [];
            Warnings::collect(fn(): bool => file_exists($this->path), $warnings);
            if ($warnings !== []) {
                throw GuardedFolder::refusal('sqlite', \dirname($this->path), 'cannot be used', $warnings, '');
            }
        }
        $kept = $this->isKept && !$this->isTableMissing ? $this->kept() : null;
        if ($kept !== null) {
            return $kept;
        }
        $this->place = $this->trustedPlace();
        $end = hrtime(true) + 1e9 * $seconds;
        for ($try = 1;; ++$try) {
            try {
                return $this->openOrCreate($end);
            } catch (PDOException $error) {
                clearstatcache();
                // Another process may remove it again and again.
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

    /**
     * The connection that an earlier request of this process has opened. The file was checked then, and is used only if
     * it still has this name; SQLite has those next to it open too.
     */
    private function kept(): ?PDO
    {
        clearstatcache(true, $this->path);
        $this->opened = self::identity($this->path);

        try {
            $database = $this->opened === '' ? null : $this->connect($this->path);
        } catch (PDOException) {
            return null;
        }
        // PDO keeps this with the connection. A new one lacks it, and has read nothing yet.
        if ($database?->getAttribute(PDO::ATTR_DEFAULT_FETCH_MODE) !== PDO::FETCH_NUM) {
            return null;
        }
        $this->place = $this->path;
        $this->prepared = $this->opened;

        return $database;
    }

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

    /** Renames the file that was opened to `<file>.corrupt`, over an older one, unless another process has done so. */
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

    /**
     * Refuses a file if another user can have written it or the files next to it, which SQLite reads. The folder is
     * refused if others may write there, even a sticky one: they could create such files.
     *
     * @return string without symbolic links
     * @throws StoreUnavailable naming the command that repairs it
     */
    private function trustedPlace(): string
    {
        $place = TrustedPath::check('sqlite', $this->path);
        $user = User::id();
        $paths = [\dirname($place), ...array_map(static fn(string $suffix): string => $place . $suffix, self::BESIDE)];
        // A missing file, no other user can create.
        $stats = Warnings::suppress(static fn(): array => array_map(lstat(...), $paths));
        foreach ($stats as $i => $stat) {
            if ($stat !== false && ($stat['uid'] !== $user || ($stat['mode'] & 0o022) !== 0)) {
                TrustedPath::check('sqlite', $paths[$i]);
            }
        }

        return $place;
    }

    /** @param \Closure(): bool $remove */
    private function abandonFile(\Closure $remove): void
    {
        $this->place = $this->trustedPlace();
        $lock = $this->lock(\LOCK_EX, self::ASIDE_SECONDS);
        clearstatcache();
        if ($lock !== null && self::identity($this->place) === $this->opened && $this->isCache()) {
            $this->removeBeside();
            Warnings::suppress($remove);
        }
        self::free($lock);
    }

    /**
     * Creates the file under another name and renames it when it is complete: values were lost when several processes
     * turned the same new file to write-ahead mode. Files of processes that were killed here are removed.
     */
    private function create(float $seconds): void
    {
        $lock = $this->lock(\LOCK_EX, $seconds);
        if ($lock === null) {
            return; // opening reports the reason
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
            $this->prepare($this->connect($new, false), false);
            // SQLite would take those of a file that was removed for this one's.
            $this->removeBeside();
            rename($new, $this->place);
        } finally {
            self::free($lock);
        }
    }

    private function openOrCreate(float $end): PDO
    {
        clearstatcache();
        $lock = $this->lock(\LOCK_SH, self::secondsTo($end), mayCreate: false);
        // A file with a mark was once checked.
        $isMarked = $lock !== null && (fstat($lock)['size'] ?? 0) === \strlen(self::MARK);
        if (!$isMarked || !file_exists($this->place)) {
            self::free($lock);
            if (!file_exists($this->place)) {
                $this->create(self::secondsTo($end));
            } elseif (!$this->beginsAsADatabase() && !$this->isCache()) {
                throw $this->refusal('is not an SQLite database'); // before a lock is created next to it
            }
            $lock = $this->lock(\LOCK_SH, self::secondsTo($end));
        }
        $this->opened = self::identity($this->place);

        try {
            $database = $this->connect($this->isKept ? $this->path : $this->place);
            $this->prepare($database, $isMarked && !$this->isTableMissing);
            $this->isTableMissing = false;
            $this->prepared = $this->opened;
            if ($lock !== null && !$isMarked && (fstat($lock)['size'] ?? 0) === 0) {
                Warnings::suppress(static fn(): int|false => fwrite($lock, self::MARK));
            }

            return $database;
        } finally {
            self::free($lock);
        }
    }

    /**
     * Creates the table, and sets the file and this connection up.
     *
     * @throws PDOException
     * @throws StoreUnavailable if the file is another program's
     */
    private function prepare(PDO $database, bool $hasTable): void
    {
        for ($backoff = null;; $backoff->pause()) {
            try {
                $hasTable = $hasTable || $this->hasTable($database);
                // A power cut may lose the last values, and never damages the file.
                $database->exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;'
                    . ' PRAGMA journal_size_limit = ' . self::LOG_LENGTH);
                foreach ($hasTable ? [] : $this->dialect->definition() as $statement) {
                    $database->exec($this->dialect->sql($statement, self::TABLE));
                }
                if ($this->maxBytes > 0) {
                    $size = $database->query('PRAGMA page_size');
                    $page = $size === false ? 0 : (int) $size->fetchColumn();
                    $database->exec('PRAGMA max_page_count = ' . intdiv($this->maxBytes, max($page, 512)));
                }
                $database->setAttribute(PDO::ATTR_DEFAULT_FETCH_MODE, PDO::FETCH_NUM); // see kept()

                return;
            } catch (PDOException $error) {
                $backoff ??= self::backoff(self::PREPARE_SECONDS);
                if (self::code($error) !== self::BUSY || $backoff->isOver()) {
                    throw $error;
                }
            }
        }
    }

    /**
     * True if table and index are there. Another program's file is refused: if it were damaged or the disk were full,
     * its tables would be deleted.
     */
    private function hasTable(PDO $database): bool
    {
        $query = $database->query('SELECT name, type FROM sqlite_master');
        /** @var array<array-key, string> $types */
        $types = $query === false ? [] : $query->fetchAll(PDO::FETCH_KEY_PAIR);
        $isTable = ($types[self::TABLE] ?? '') === 'table';
        foreach ($isTable ? [] : $types as $name => $type) {
            if ($type === 'table' && !str_starts_with((string) $name, 'sqlite_')) {
                throw StoreUnavailable::because(
                    'sqlite',
                    'the file has tables of another program',
                    'Name another file: a cache has one of its own',
                );
            }
        }

        return $isTable && isset($types[self::TABLE . '_expires']);
    }

    /** An empty file does too: SQLite turns it into a database. */
    private function beginsAsADatabase(): bool
    {
        $head = Warnings::suppress(fn(): string|false => file_get_contents($this->place, length: \strlen(self::HEAD)));

        return $head === false || $head === '' || $head === self::HEAD; // SQLite reports why it cannot be read
    }

    /** True if the file was a cache before it was damaged. Any other file, which a wrong DSN may name, stays. */
    private function isCache(): bool
    {
        return ($this->prepared !== '' && $this->prepared === $this->opened)
            || Warnings::suppress(fn(): string|false => file_get_contents($this->place . '.lock')) === self::MARK;
    }

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
        foreach (Warnings::suppress(fn(): array => (array) scandir(\dirname($this->place))) as $name) {
            if (\is_string($name) && preg_match($pattern, $name) === 1) {
                self::remove(\dirname($this->place) . '/' . $name);
            }
        }
    }

    private static function remove(string $file): void
    {
        if (file_exists($file)) {
            Warnings::suppress(static fn(): bool => unlink($file));
        }
    }

    /**
     * @param \LOCK_SH|\LOCK_EX $kind
     * @return resource|null null if it could not be acquired in time
     */
    private function lock(int $kind, float $seconds, bool $mayCreate = true): mixed
    {
        // "e": programs that this process executes must not keep the lock when this process dies.
        $file = Warnings::suppress(fn(): mixed => fopen($this->place . '.lock', 'r+e'));
        if ($file === false && $mayCreate) {
            $file = self::opened($this->place . '.lock', 'ce');
        }
        if ($file === false) {
            return null;
        }
        if (((fstat($file)['mode'] ?? 0) & 0o077) !== 0) {
            // A user who can open the file can hold the lock.
            Warnings::suppress(fn(): bool => chmod($this->place . '.lock', 0o600));
        }
        for ($backoff = null; !flock($file, $kind | \LOCK_NB); $backoff->pause()) {
            $backoff ??= self::backoff($seconds);
            if ($backoff->isOver()) {
                fclose($file);

                return null;
            }
        }

        return $file;
    }

    /**
     * The new file is private from the first moment: a process that has opened it keeps access, whatever its later
     * mode.
     *
     * @return resource|false
     */
    private static function opened(string $file, string $mode): mixed
    {
        $mask = umask(0o077);

        try {
            return Warnings::suppress(static fn(): mixed => fopen($file, $mode));
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

    /** @return string empty if there is no file */
    private static function identity(string $file): string
    {
        $stat = is_file($file) ? stat($file) : false; // one call for both, and no warning

        return $stat === false ? '' : $stat['dev'] . ':' . $stat['ino'];
    }

    private function connect(string $file, bool $mayBeKept = true): PDO
    {
        // A fork must not use the connection of its parent.
        $name = \sprintf('larder %d %s %d', Pid::own(), $this->opened, $this->maxBytes);
        // Only create() creates the file. PHP 8.5 deprecates PDO's constants of drivers.
        [$flags, $existing] = \PHP_VERSION_ID < 80_400
            ? [PDO::SQLITE_ATTR_OPEN_FLAGS, PDO::SQLITE_OPEN_READWRITE]
            : [Sqlite::ATTR_OPEN_FLAGS, Sqlite::OPEN_READWRITE];

        return new PDO('sqlite:' . $file, null, null, [
            PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
            PDO::ATTR_TIMEOUT => 0, // backoff() waits
            PDO::ATTR_PERSISTENT => $this->isKept && $mayBeKept ? $name : false,
            $flags => $existing,
        ]);
    }
}
