<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Legacy\Yac;

use Larder\Codec\Codec;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Common\Envelope;
use Larder\Internal\Driver\Common\StoresBytes;
use Larder\Internal\Filesystem\UserFolder;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Lock\StripedLock;
use Larder\Internal\Process\Functions;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use Yac;

/**
 * Yac: shared by the workers of one FPM master, without locks, and allowed to lose what it was given.
 *
 * Yac's keys have at most 48 bytes: longer keys are hashed, and the full key is stored with the value, so that another
 * key with the same hash is a miss. Yac checks only a sample of a value of 256 bytes or more, so a checksum of all its
 * bytes is stored before it: a value torn by concurrent writers is a miss. A random version in every key makes clear()
 * a single write; if Yac loses the version, the namespace is empty. losses() counts the values that Yac discarded.
 *
 * Yac cannot compare and swap, so locks are acquired and released under flock() on files in /dev/shm. The lock itself
 * is a value in Yac, which may lose it. Processes of one user exclude each other.
 */
final class YacStore implements Store, LockingStore, EvictingStore
{
    use StoresBytes;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use LoopedBatch;
    use PacksByCodec;

    private const VERSION_BYTES = 9;
    private const DIRECT_LENGTH = 35; // 48 less 12 of the version and 1 of the kind
    private const HASHED = '#';

    private const CHECKED = "\2";
    private const CHECKED_FROM = 240;
    private const LAST_SECOND = 0xffff_ff00;
    private const TRIES = 100;
    /** Yac also returns a miss while another process holds the slot. */
    private const READS = 4;
    /** Microseconds between two reads of a lock, which must not be missed. */
    private const PAUSE = 50;
    /** A version is lost only if none of so many reads finds it. */
    private const LONG_READS = 50;

    private readonly Yac $yac;
    private readonly string $versionName;
    private ?StripedLock $steps = null;
    private ?StripedLock $renewals = null;

    public function __construct(string $namespace = 'larder', private readonly Codec $codec = new PhpCodec())
    {
        NamespaceName::check($namespace);
        StoreUnavailable::unlessLoaded('yac', 'yac', 'yac');

        try {
            $this->yac = new Yac();
        } catch (\Throwable $off) {
            $how = \PHP_SAPI === 'cli'
                ? 'On the command line it is on with: php -d yac.enable_cli=1'
                : 'Set yac.enable=1 in php.ini';

            throw StoreUnavailable::because('yac', 'Yac is loaded but switched off', $how, $off);
        }
        $this->versionName = 'larder-generation:' . substr(hash('xxh128', $namespace), 0, 24);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $name = $this->name($key);
        $bytes = $this->codec->encode($value, $key);
        $until = Ttl::until($ttl);
        if ($name !== null && $this->store($name, $key, $bytes, $until, (int) ceil(Ttl::seconds($ttl)))) {
            return true;
        }
        $this->delete($key);

        return false;
    }

    public function delete(string $key): bool
    {
        $name = $this->name($key);
        if ($name === null) {
            return false;
        }
        // Yac does nothing while another process holds the slot.
        for ($try = 0; $try < self::TRIES; ++$try) {
            $this->yac->delete($name);
            if (!\is_string($this->yac->get($name))) {
                return true;
            }
        }

        return false;
    }

    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        for ($try = 0; $try < self::TRIES; ++$try) {
            if ($this->yac->set($this->versionName, self::newVersion()) === true) {
                return true;
            }
        }

        return false;
    }

    /**
     * Losses of Yac since it started, for all its users: "kicks" are values that others replaced for lack of a
     * slot, "recycles" are segments of its memory that were reused from the start, "fails" are stores that it refused.
     *
     * @return array{kicks: int, recycles: int, fails: int}
     */
    public function losses(): array
    {
        /** @var array{kicks: int, recycles: int, fails: int} $info */
        $info = $this->yac->info();

        return ['kicks' => $info['kicks'], 'recycles' => $info['recycles'], 'fails' => $info['fails']];
    }

    /** A reader hides a slot from others, so only the process that changes a lock reads it. */
    private function glance(string $name): mixed
    {
        return null;
    }

    /** @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change */
    private function change(string $key, \Closure $change): bool
    {
        $this->steps ??= self::locks('larder-yac');

        return $this->steps?->around(crc32($key), function () use ($key, $change): bool {
            $bytes = $this->bytes($key);
            for ($read = 1; $bytes === null && $read < self::READS; ++$read) {
                Functions::sleep(self::PAUSE);
                $bytes = $this->bytes($key);
            }
            $new = $change($bytes === null ? null : new Entry($bytes, null));

            return match (true) {
                $new === false => false,
                $new === null => $this->delete($key),
                default => $this->write($key, $new->stored, $new->until ?? 0.0),
            };
        }) ?? false;
    }

    private function write(string $key, string $bytes, float $until): bool
    {
        $name = $this->name($key);
        for ($try = 0; $name !== null && $try < self::TRIES; ++$try) {
            $seconds = (int) ceil($until - microtime(true));
            if ($this->store($name, $key, $bytes, $until, $seconds) && $this->bytes($key) === $bytes) {
                return true;
            }
        }

        return false;
    }

    private function bytes(string $key): ?string
    {
        $name = $this->name($key);
        if ($name === null) {
            return null;
        }
        $stored = $this->readWithRetries($name);
        if ($stored === null || $stored === '') {
            return null;
        }
        if ($stored[0] === self::CHECKED) {
            $checksum = substr($stored, 1, 8);
            $stored = substr($stored, 9);
            if (hash('xxh3', $stored, true) !== $checksum) {
                return null;
            }
        }

        return Envelope::open($stored, $name[12] === self::HASHED ? $key : '');
    }

    private function readWithRetries(string $name): ?string
    {
        $stored = $this->yac->get($name);
        for ($read = 1; !\is_string($stored) && $read < self::READS; ++$read) {
            $stored = $this->yac->get($name);
        }

        return \is_string($stored) ? $stored : null;
    }

    private function store(string $name, string $key, string $bytes, float $until, int $seconds): bool
    {
        $isHashed = $name[12] === self::HASHED;
        if ($until > 0.0 || $isHashed) {
            $bytes = Envelope::seal($bytes, $until, $isHashed ? $key : '');
        }
        if (\strlen($bytes) >= self::CHECKED_FROM) {
            $bytes = self::CHECKED . hash('xxh3', $bytes, true) . $bytes;
        }
        // Yac counts whole seconds, in 32 bits, so one more than asked; the envelope has the exact time.
        $seconds = $seconds > 0 && $until < self::LAST_SECOND ? $seconds + 1 : 0;

        return @$this->yac->set($name, $bytes, $seconds) === true;
    }

    /** @return string|null null if Yac accepts no version */
    private function name(string $key): ?string
    {
        Key::check($key);
        $version = $this->readWithRetries($this->versionName) ?? $this->newVersionByOneProcess();

        return match (true) {
            $version === null => null,
            \strlen($key) <= self::DIRECT_LENGTH => $version . '=' . $key,
            default => $version . self::HASHED . hash('xxh128', $key),
        };
    }

    /** A second version would void the values just stored under the first. */
    private function newVersionByOneProcess(): ?string
    {
        // Other locks than those of change(), within which this happens too.
        $this->renewals ??= self::locks('larder-yac-generations');

        return $this->renewals?->around(crc32($this->versionName), function (): ?string {
            for ($read = 0; $read < self::LONG_READS; ++$read) {
                Functions::sleep(random_int(self::PAUSE, 4 * self::PAUSE));
                $version = $this->yac->get($this->versionName);
                if (\is_string($version)) {
                    return $version;
                }
            }
            $this->clear(); // not by add(), which fails in a full Yac

            return $this->readWithRetries($this->versionName);
        });
    }

    /** @return StripedLock|null null if its files cannot be created: then the lock counts as held */
    private static function locks(string $name): ?StripedLock
    {
        try {
            return new StripedLock(UserFolder::find('yac', '/dev/shm', $name));
        } catch (StoreUnavailable) {
            return null;
        }
    }

    private static function newVersion(): string
    {
        return base64_encode(random_bytes(self::VERSION_BYTES));
    }
}
