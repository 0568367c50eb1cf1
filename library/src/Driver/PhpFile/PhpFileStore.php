<?php

declare(strict_types=1);

namespace Larder\Driver\PhpFile;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\HasWaitBudget;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\PrunableStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\OneByOne;
use Larder\Driver\Common\PacksPlainData;
use Larder\Driver\Common\PlainData;
use Larder\Driver\File\ChangesFiles;
use Larder\Driver\File\Collector;
use Larder\Driver\File\Directory;
use Larder\Driver\File\FileStore;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Process\Quietly;

/**
 * Files of PHP code, which opcache keeps ready in shared memory: a get of plain data is a pointer. For data that is
 * written seldom and read often.
 *
 * A file returns [version, expiry, key, kind, value]. Plain data stands there as a constant; what holds objects or shared
 * references, as the codec's bytes. The version is random and is the file's modification time too, so one look at the
 * file tells whether what opcache gives is the newest: not even in the two seconds in which opcache does not look
 * (opcache.revalidate_freq) is an old value returned, whichever process wrote the new one.
 *
 * Opcache never takes memory back before it restarts, so each new value costs some until then. It is used only while there
 * is memory (see OpcacheRoom); beyond that, values not yet in opcache are compiled at each get. opcacheMemory() tells what is
 * used.
 */
final class PhpFileStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, PrunableStore, HasWaitBudget, EvictingStore
{
    /** @use ChangesAtomically<array{bool, mixed}> */
    use ChangesAtomically;
    /** @use ChangesFiles<array{bool, mixed}> */
    use ChangesFiles;
    use OneByOne;
    use PacksPlainData;

    /** Versions are times of the past: opcache does not take files that look new (opcache.file_update_protection). */
    private const FIRST_VERSION = 0x2000_0000;
    private const LAST_VERSION = 0x3FFF_FFFF;

    private readonly ?OpcacheMemory $opcache;

    /** @var \Closure(): FileStore */
    private readonly \Closure $openLocks;
    private ?FileStore $locks = null;

    /**
     * @param int $maxBytes of all files, about; 0 for no limit
     * @throws StoreUnavailable
     */
    public function __construct(string $directory, string $namespace = 'larder', private readonly Codec $codec = new PhpCodec(), private readonly int $maxBytes = 0)
    {
        $this->directory = new Directory('php-file', $directory, $namespace, 'php');
        $this->collector = new Collector($this->directory->folders, self::isOver(...), $maxBytes);
        $path = $this->directory->path;
        $this->openLocks = static fn(): FileStore => new FileStore($path, 'locks');
        $this->opcache = OpcacheMemory::here();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $entry = $this->entry($key);
        if ($entry === null) {
            return $default;
        }

        return $this->unpack($key, [$entry[3], $entry[4]], $default);
    }

    public function has(string $key): bool
    {
        return $this->entry($key) !== null;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $until = Ttl::until($ttl);
        $stored = $this->pack($key, $value);
        $file = $this->directory->file($key);

        $bytes = 0;
        $isWritten = $this->directory->replace($file, function () use ($file, $key, $stored, $until, &$bytes): bool {
            $bytes = $this->write($file, $key, $stored, $until);

            return $bytes > 0;
        });
        $this->collector->wrote($file, $bytes, $until > 0.0);

        return $isWritten;
    }

    public function evicts(): bool
    {
        return $this->maxBytes > 0;
    }

    public function clear(): bool
    {
        return $this->locks()->clear() && $this->directory->clear();
    }

    public function prune(): int
    {
        return $this->locks()->prune() + $this->collector->prune();
    }

    public function acquire(string $key, float $seconds, LockLifetime $ends = LockLifetime::TtlOrProcess, string $token = ''): string|false|null
    {
        return $this->locks()->acquire($key, $seconds, $ends, $token);
    }

    public function renew(string $key, string $token, float $seconds): bool
    {
        return $this->locks()->renew($key, $token, $seconds);
    }

    public function release(string $key, string $token): bool
    {
        return $this->locks()->release($key, $token);
    }

    public function holder(string $key): ?string
    {
        return $this->locks()->holder($key);
    }

    /** Locks are files of their own, not of PHP: they change often, and opcache would keep each. */
    private function locks(): FileStore
    {
        return $this->locks ??= ($this->openLocks)();
    }

    /**
     * What this namespace takes of opcache's memory. Looks at every file that opcache holds: not for each request.
     *
     * @return array{scripts: int, bytes: int, wasted: int, free: int, keep_free: int, strings_free: int, strings_keep_free: int}|null
     *         scripts and bytes of this namespace; wasted and free of all opcache, and how much of it this store leaves free,
     *         in bytes, the same of its buffer of strings; null without opcache
     */
    public function opcacheMemory(): ?array
    {
        return $this->opcache?->usage($this->directory->path . '/');
    }

    public function keys(): iterable
    {
        foreach ($this->directory->values() as $file) {
            $entry = self::compile($file);
            $key = \is_array($entry) ? $entry[2] ?? null : null;
            if (\is_string($key) && $this->has($key)) {
                yield $key;
            }
        }
    }

    /** @return Entry<array{bool, mixed}>|null */
    private function found(string $key): ?Entry
    {
        $entry = $this->entry($key);

        return $entry === null ? null : new Entry([$entry[3], $entry[4]], $entry[1]);
    }

    /**
     * @param array{bool, mixed} $stored as pack() gives it
     * @return int how many bytes; 0 when it was refused
     */
    private function write(string $file, string $key, mixed $stored, float $until): int
    {
        $version = random_int(self::FIRST_VERSION, self::LAST_VERSION);
        $code = \sprintf(
            '<?php return [%d,%s,%s,%s,%s];',
            $version,
            var_export($until, true),
            var_export($key, true),
            var_export($stored[0], true),
            PlainData::code($stored[1]),
        );

        return $this->directory->write($file, $code, $version) ? \strlen($code) : 0;
    }

    /** Whether these are the first bytes of a file that has expired, or is damaged. */
    private static function isOver(string $head): bool
    {
        $isWhole = preg_match('/^<\?php return \[\d+,([0-9.E+-]+),/', $head, $parts) === 1;

        return !$isWhole || ((float) $parts[1] !== 0.0 && (float) $parts[1] <= microtime(true));
    }

    /** @return array{int, float, string, bool, mixed}|null */
    private function entry(string $key): ?array
    {
        Key::check($key);
        $file = $this->directory->file($key);
        if (!$this->directory->isSafe($file)) {
            return null;
        }
        clearstatcache();
        $version = is_file($file) ? filemtime($file) : false; // one look: the second is answered from the first
        if ($version === false) {
            return null;
        }
        if ($this->opcache !== null && !opcache_is_script_cached($file) && !$this->opcache->isLeft()) {
            $entry = self::compile($file);
        } else {
            $entry = self::load($file);
            if (!\is_array($entry) || $entry[0] !== $version) {
                if ($this->opcache !== null) {
                    @opcache_invalidate($file, true);
                }
                $entry = self::compile($file);
            }
        }
        if (!\is_array($entry)) {
            return null;
        }
        /** @var array{int, float, string, bool, mixed} $entry */

        return $entry[2] === $key && ($entry[1] === 0.0 || $entry[1] > microtime(true)) ? $entry : null;
    }

    /** By way of opcache, where there is one. */
    private static function load(string $file): mixed
    {
        // As Quietly::run() does, without a closure: every value is read here. It may be removed at any moment.
        try {
            set_error_handler(Quietly::ignore(...));

            return include $file;
        } catch (\ParseError) {
            return false; // cut off by a crash of the machine
        } finally {
            restore_error_handler();
        }
    }

    /** The file as it is now, past opcache. */
    private static function compile(string $file): mixed
    {
        try {
            return Quietly::run(static function () use ($file): mixed {
                $code = file_get_contents($file);

                return $code === false || $code === '' ? false : eval('?>' . $code);
            });
        } catch (\ParseError) {
            return false;
        }
    }
}
