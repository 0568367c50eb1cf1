<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PhpFile;

use Larder\Codec\Codec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\HasWaitBudget;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\LoopedBatch;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Common\PlainData;
use Larder\Internal\Driver\File\ChangesFiles;
use Larder\Internal\Driver\File\Directory;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Process\Warnings;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * Files of PHP code, which opcache keeps ready in shared memory: a get of plain data is a pointer. For data that is
 * written seldom and read often.
 *
 * A file returns [version, expiry, key, kind, value]. Plain data is a constant; a value with objects or shared
 * references is the codec's bytes. The version is random and is the file's modification time too. A get compares both,
 * so it never returns an old value, not even in the two seconds in which opcache does not look
 * (opcache.revalidate_freq).
 *
 * Until it restarts opcache takes no memory back, so each new value costs some. It is used only while there is memory
 * (see OpcacheMemory); after that, values not yet in opcache are compiled at each get. opcacheMemory() reports the
 * usage.
 *
 * @phpstan-import-type Usage from OpcacheMemory
 */
final class PhpFileStore implements
    Store,
    AtomicStore,
    LockingStore,
    ListableStore,
    ExpiryAwareStore,
    PrunableStore,
    HasWaitBudget,
    EvictingStore
{
    /** @use ChangesAtomically<array{bool, mixed}> */
    use ChangesAtomically;
    /** @use ChangesFiles<array{bool, mixed}> */
    use ChangesFiles;
    /** @use LocksByChanging<array{bool, mixed}> */
    use LocksByChanging;
    use LoopedBatch;

    /** Versions are times of the past: opcache refuses files that look new (opcache.file_update_protection). */
    private const FIRST_VERSION = 0x2000_0000;
    private const LAST_VERSION = 0x3FFF_FFFF;

    /** False until it is needed: asking opcache takes as long as some gets. */
    private OpcacheMemory|false|null $opcache = false;

    /**
     * @param int $maxBytes of all files, about; 0 for no limit
     * @throws StoreUnavailable also if PHP would read the files in another encoding than they are written in
     */
    public function __construct(
        string $directory,
        string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
        private readonly int $maxBytes = 0,
    ) {
        if ((bool) ini_get('zend.multibyte')) {
            throw StoreUnavailable::because(
                'php-file',
                'zend.multibyte is on, so PHP may change the encoding of what it reads',
                'Set zend.multibyte=0 in php.ini, or use file:',
            );
        }
        $this->directory = new Directory('php-file', $directory, $namespace, 'php');
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $entry = $this->entry($key);

        return $entry === null ? $default : $this->unpack($key, [$entry[3], $entry[4]], $default);
    }

    public function has(string $key): bool
    {
        return $this->entry($key) !== null;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $file = $this->directory->file($key);
        $until = Ttl::until($ttl);
        $stored = $this->pack($key, $value);
        $bytes = 0;
        $isWritten = $this->directory->replace($file, function () use ($file, $key, $stored, $until, &$bytes): bool {
            $bytes = $this->write($file, $key, $stored, $until);

            return $bytes > 0;
        });
        $this->collector()->wrote($file, $bytes, $until > 0.0);

        return $isWritten;
    }

    /**
     * The share of this namespace in opcache's memory. Looks at every file that opcache holds: not for each request.
     *
     * @return Usage|null scripts and bytes of this namespace; of all opcache, the bytes wasted, free and kept free by
     *         this store, and the same of its buffer for strings; null without opcache
     */
    public function opcacheMemory(): ?array
    {
        return $this->opcache()?->usage($this->directory->path . '/');
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
     * @param array{bool, mixed} $stored as pack() returns it
     * @return int bytes; 0 if it was refused
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

    /** @return array{bool, mixed} */
    private function pack(string $key, mixed $value): array
    {
        return PlainData::pack($value, $key, $this->codec);
    }

    /** @param array{bool, mixed} $stored */
    private function unpack(string $key, mixed $stored, mixed $default = null): mixed
    {
        return $stored[0] && \is_string($stored[1]) ? $this->codec->decode($stored[1], $key, $default) : $stored[1];
    }

    private static function isOver(string $head): bool
    {
        $isWhole = preg_match('/^<\?php return \[\d+,([0-9.E+-]+),/', $head, $parts) === 1;

        return !$isWhole || ((float) $parts[1] !== 0.0 && (float) $parts[1] <= microtime(true));
    }

    /** @return array{int, float, string, bool, mixed}|null */
    private function entry(string $key): ?array
    {
        $file = $this->directory->file($key);
        if (!$this->directory->isSafe($file)) {
            return null;
        }
        clearstatcache();
        $version = is_file($file) ? filemtime($file) : false; // one system call: PHP keeps the result of the first
        if ($version === false) {
            return null;
        }
        // Locks and leases change often, and opcache would keep each version.
        $isKept = $key[0] !== "\0" || !ReservedKey::isTransient($key);
        if ($isKept && ($this->isCached($file) || $this->opcache()?->isLeft() === true && self::code($file) !== null)) {
            $entry = self::load($file);
            if (!\is_array($entry) || ($entry[0] ?? null) !== $version) {
                $this->opcache() === null || @opcache_invalidate($file, true);
                $entry = self::compile($file);
            }
        } else {
            $entry = self::compile($file);
        }
        if (
            !\is_array($entry) || ($entry[2] ?? null) !== $key || !\is_float($entry[1] ?? null)
            || !\is_bool($entry[3] ?? null) || !\array_key_exists(4, $entry)
        ) {
            return null;
        }
        /** @var array{int, float, string, bool, mixed} $entry */

        return $entry[1] === 0.0 || $entry[1] > microtime(true) ? $entry : null;
    }

    private function opcache(): ?OpcacheMemory
    {
        return $this->opcache === false ? $this->opcache = OpcacheMemory::here() : $this->opcache;
    }

    /**
     * A restricted opcache would warn.
     *
     * @param string $byOpcache never passed: see Larder\Process\Pid
     */
    private function isCached(string $file, string $byOpcache = 'opcache_is_script_cached'): bool
    {
        $isThere = ini_get('opcache.restrict_api') === '' ? \function_exists($byOpcache) : $this->opcache() !== null;

        return $isThere && opcache_is_script_cached($file);
    }

    private static function load(string $file): mixed
    {
        // As Warnings::suppress() does, without a closure: every value is read here. The file may vanish at any moment.
        try {
            set_error_handler(Warnings::ignore(...));

            return include $file;
        } catch (\Error) {
            return false; // damaged
        } finally {
            restore_error_handler();
        }
    }

    /** The file as it is now, without opcache. */
    private static function compile(string $file): mixed
    {
        try {
            $code = self::code($file);

            return $code === null ? false : Warnings::suppress(static fn() => eval(substr($code, \strlen('<?php '))));
        } catch (\Error) {
            return false;
        }
    }

    /**
     * @return string|null null if write() did not write it: then none of it is run. A crash of the machine leaves files
     *         cut off, or with zeros, which no code contains; PHP would print a text without an opening tag
     */
    private static function code(string $file): ?string
    {
        $code = (string) Warnings::suppress(static fn(): string|false => file_get_contents($file));
        $isWhole = str_starts_with($code, '<?php return [') && str_ends_with($code, '];') && !str_contains($code, "\0");

        return $isWhole ? $code : null;
    }
}
