<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Memcached;

use Larder\Codec\Codec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\LockingStore;
use Larder\Contract\NamesServer;
use Larder\Contract\RemoteStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Common\Envelope;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Process\Functions;
use Larder\Internal\Remember\StoredValue;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use Larder\Process\Pid;

/**
 * Values in memcached servers.
 *
 * Names contain the key URL-encoded, since memcached allows no spaces and control characters. If a name would be longer
 * than 250 bytes, the key is hashed, and stored whole with the value, so that another key with the same hash is a miss.
 * memcached counts whole seconds of its own clock, so a value with a ttl also contains its exact expiry.
 *
 * Each value begins with the random version of its namespace. clear() sets a new version: one step, which touches no
 * other program's values. A value with another version is a miss. A process reads the version together with the first
 * value, and again if it is older than 0.05 s. So get() and set() notice another process's clear() at most that much
 * later. Operations that compare before they write read the version each time, and after the value: otherwise a value
 * that another process stores right after its clear() would look like a cleared one. Only the placeholder of a short
 * computation is replaced without; if it was cleared, its value is missing. If a server evicts the version, the
 * namespace is lost.
 */
final class MemcachedStore implements
    RemoteStore,
    NamesServer,
    AtomicStore,
    LockingStore,
    ExpiryAwareStore,
    EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    private const TRIES = 1000;
    /** Bytes of keys that need no check. */
    private const SHORT_KEY = 250;
    /** A unix time in the past. */
    private const PAST = 1.0;
    /** The bytes that replace a removed value: no codec writes them. */
    private const NOTHING = "\0";

    /** memcached treats more than 30 days as a unix time. */
    private const LONGEST_RELATIVE_TIME = 30 * 86_400;

    /** Seconds. */
    private const CLOCK_LAG = 2;

    /** Bytes of a value, without the parts that may precede it, such as a key. */
    private const LONGEST_VALUE = TextConnection::LONGEST_VALUE - (128 << 10);

    /** Envelope::MARK, for which a request need not load that class. */
    private const MARK = "\1";

    private const DIRECT = '~';
    private const HASHED = '#';

    private const VERSION_LENGTH = 8;
    private const VERSION_NANOSECONDS = 50_000_000;
    /** Number of versions that a process remembers before it drops the expired ones. */
    private const VERSIONS = 1000;

    /**
     * All stores of this process for one namespace on one server share its version, so each sees at once what another
     * has cleared. A version that is missing here is read from the server.
     *
     * @var array<string, array{string, int}> by server and namespace: the version, and the time by hrtime() until which
     *         it is valid
     */
    private static array $versions = [];

    /** Number of recently added items to remember: placeholders are changed soon, and that then needs no read. */
    private const ADDED = 8;

    /** @var array<string, array{string, array{string, string}}> version, bytes and number, by name */
    private array $added = [];
    private readonly string $place;
    private readonly string $prefix;
    private int $process = 0;

    public function __construct(
        private readonly MemcachedConnection $connection,
        string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
    ) {
        NamespaceName::check($namespace);
        $this->place = "$namespace:{$connection->endpoint()}";
        $this->prefix = NamespaceName::prefix($namespace);
    }

    public function reach(): void
    {
        try {
            $this->connection->version();
        } catch (StoreFailed $failure) {
            $cause = $failure->getPrevious();

            throw $cause instanceof StoreUnavailable
                ? $cause
                : StoreUnavailable::because(
                    $failure->store,
                    $failure->what,
                    'Is memcached running there, and not overloaded?',
                    $failure,
                );
        }
    }

    public function server(): ?string
    {
        return $this->connection->server();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $bytes = $this->bytes($key);

        return $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
    }

    public function has(string $key): bool
    {
        return $this->bytes($key) !== null;
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $stored = $this->readAll($keys);
        $values = [];
        foreach ($keys as $key) {
            $bytes = isset($stored[$key]) ? $this->opened($stored[$key], $this->name($key), $key) : null;
            $values[$key] = $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
        }

        return $values;
    }

    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($this->readAll($keys) as $key => $sealed) {
            $bytes = $this->opened($sealed, $this->name((string) $key), (string) $key);
            $value = $bytes === null ? $this : $this->codec->decode($bytes, (string) $key, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, Envelope::until($sealed));
            }
        }

        return $entries;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $name = $this->name($key);
        $bytes = $this->codec->encode($value, $key);
        $until = $ttl === 0 ? 0.0 : Ttl::until($ttl);
        $version = \strlen($bytes) <= self::LONGEST_VALUE ? $this->versionToWrite() : null;

        try {
            if ($version !== null && $this->connection->set(
                $name,
                $version . $this->sealed($bytes, $until, $name, $key),
                self::expiry($ttl),
            )) {
                return true;
            }
        } catch (StoreFailed) {
        }
        $this->connection->delete([$name]);

        return false;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $keys = Key::of($values);
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);
        $until = Ttl::until($ttl);
        $version = $keys === [] ? '' : $this->versionToWrite();
        $items = $refused = [];
        foreach ($keys as $i => $key) {
            $name = $this->name($key);
            if ($version === null || \strlen($encoded[$i]) > self::LONGEST_VALUE) {
                $refused[] = $name;
            } else {
                $items[$name] = $version . $this->sealed($encoded[$i], $until, $name, $key);
            }
        }

        try {
            $refused = [...$refused, ...$this->connection->setMany($items, self::expiry($ttl))];
        } catch (StoreFailed) {
            $refused = [...$refused, ...array_map(strval(...), array_keys($items))];
        }
        $this->connection->delete($refused);

        return $refused === [];
    }

    public function delete(string $key): bool
    {
        $this->connection->delete([$this->name($key)]);

        return true;
    }

    public function deleteMany(array $keys): bool
    {
        $this->connection->delete(array_map($this->name(...), $keys));

        return true;
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $new = new Entry($this->pack($key, $value), Ttl::until($ttl));
        $version = $this->versionToWrite();
        $isAdded = $version === null
            ? null
            : $this->write($key, $new->stored, (float) $new->until, $version, null, StoredValue::is($value));

        // The existing item may be expired, cleared or another program's; or the version is not current any more.
        return $isAdded === true || (
            $isAdded === false
            && $this->change($key, static fn(?Entry $old): Entry|false => $old === null ? $new : false)
        );
    }

    /** Always true: a server with -M does not evict, but that cannot be queried. */
    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        $version = random_bytes(self::VERSION_LENGTH);
        if (!$this->connection->set($this->versionName(), $version, 0)) {
            return false;
        }
        $this->learn($version);

        return true;
    }

    /**
     * @param list<string> $keys
     * @return array<array-key, string> stored bytes by key, if they have the current version
     */
    private function readAll(array $keys): array
    {
        $names = [];
        foreach ($keys as $key) {
            $names[$key] = $this->name($key);
        }
        if ($names === []) {
            return [];
        }
        $version = $this->knownVersion();
        $stored = $this->connection->getMany(
            $version === null ? [$this->versionName(), ...array_values($names)] : array_values($names),
        );
        $version ??= $this->learn($stored[$this->versionName()] ?? null);
        $found = [];
        foreach ($names as $key => $name) {
            if ($version !== null && isset($stored[$name]) && str_starts_with($stored[$name], $version)) {
                $found[$key] = substr($stored[$name], self::VERSION_LENGTH);
            }
        }

        return $found;
    }

    private function bytes(string $key): ?string
    {
        $name = $this->name($key);
        $version = $this->knownVersion();
        $stored = ($version === null ? $this->readAll([$key])[$key] ?? null : $this->connection->get($name, $version))
            ?? '';
        if ($stored === '') {
            return null;
        }

        // Most values are as the codec wrote them.
        return $stored[0] === self::MARK || self::isHashed($name) ? $this->opened($stored, $name, $key) : $stored;
    }

    private function sealed(string $bytes, float $until, string $name, string $key): string
    {
        $isHashed = self::isHashed($name);

        return $until === 0.0 && !$isHashed ? $bytes : Envelope::seal($bytes, $until, $isHashed ? $key : '');
    }

    private function opened(string $stored, string $name, string $key): ?string
    {
        return Envelope::open($stored, self::isHashed($name) ? $key : '');
    }

    private function name(string $key): string
    {
        if ($key === '' || isset($key[self::SHORT_KEY])) { // others do not load Key
            Key::check($key);
        }
        $name = $this->prefix . self::DIRECT . rawurlencode($key);

        return \strlen($name) <= $this->connection->nameLimit()
            ? $name
            : $this->prefix . self::HASHED . hash('xxh128', $key);
    }

    private static function isHashed(string $name): bool
    {
        return str_contains($name, self::HASHED); // a name contains this character unencoded nowhere else
    }

    private function versionName(): string
    {
        return $this->prefix . 'version';
    }

    /**
     * @return string|null null if the server must be asked. So a new store, and a fork, see what others have cleared
     */
    private function knownVersion(): ?string
    {
        $process = Pid::own();
        if ($this->process !== $process) {
            $this->process = $process;
            unset(self::$versions[$this->place]);
        }
        [$version, $until] = self::$versions[$this->place] ?? [null, 0];

        return hrtime(true) <= $until ? $version : null;
    }

    /**
     * @param string|null $stored from the server, to which other programs may have written
     * @return string|null null if it is not a version
     */
    private function learn(?string $stored): ?string
    {
        if ($stored === null || \strlen($stored) !== self::VERSION_LENGTH) {
            unset(self::$versions[$this->place]);

            return null;
        }
        $now = (int) hrtime(true);
        if (\count(self::$versions) >= self::VERSIONS) {
            self::$versions = array_filter(self::$versions, static fn(array $version): bool => $version[1] > $now);
        }
        $this->process = $this->process === 0 ? Pid::own() : $this->process;
        self::$versions[$this->place] = [$stored, $now + self::VERSION_NANOSECONDS];

        return $stored;
    }

    /** @return string|null null if the server has no space for a version */
    private function versionToWrite(): ?string
    {
        return $this->knownVersion()
            ?? $this->learn($this->connection->get($this->versionName()))
            ?? $this->newVersion();
    }

    private function newVersion(): ?string
    {
        $new = random_bytes(self::VERSION_LENGTH);
        if ($this->connection->add($this->versionName(), $new, 0) === true) {
            return $this->learn($new);
        }
        $version = $this->learn($this->connection->get($this->versionName()));
        if ($version === null) {
            // Another program has stored something else there, or the server has no space.
            $this->connection->set($this->versionName(), $new, 0);
            $version = $this->learn($this->connection->get($this->versionName()));
        }

        return $version;
    }

    /**
     * The lease of a recomputation ends only by the server's clock, since the clocks of its clients differ.
     *
     * @param string|null $unchanged the number of the existing item; null for none
     * @param bool $isReplacedSoon true for a placeholder
     * @return bool|null false if another process was first, or has cleared the namespace; null if refused
     */
    private function write(
        string $key,
        string $bytes,
        float $until,
        string $version,
        ?string $unchanged,
        bool $isReplacedSoon = false,
    ): ?bool {
        $name = $this->name($key);
        $isReserved = str_starts_with($key, "\0") && ReservedKey::is($key); // other keys need not load that class
        $isLease = $isReserved && ReservedKey::isLease($key);
        $sealed = $version . $this->sealed($bytes, $isLease ? 0.0 : $until, $name, $key);
        $expiry = $until === 0.0 ? 0 : self::expiry(max(0.001, $until - microtime(true))) - (int) $isLease;

        if ($unchanged !== null) {
            return $this->connection->cas($name, $sealed, $expiry, $unchanged);
        }
        $number = '';
        $current = null;
        $isAdded = $this->connection->add($name, $sealed, $expiry, $number, $this->versionName(), $current);
        if ($isAdded === true && $this->learn($current) !== $version) {
            return false; // nobody else can see what was added
        }
        if ($number !== '' && $isReplacedSoon && !$isReserved) {
            $this->added = [...\array_slice($this->added, 1 - self::ADDED), $name => [$version, [$sealed, $number]]];
        }

        return $isAdded;
    }

    /**
     * Later than requested. memcached's clock ticks in whole seconds, and stops while the machine stands still, but a
     * lock must not end too early. The envelope contains the exact time.
     */
    private static function expiry(int|float $ttl): int
    {
        if ($ttl === 0) {
            return 0;
        }
        $seconds = (int) ceil(Ttl::seconds($ttl));
        if ($seconds === 0) {
            return 0;
        }
        $seconds += self::CLOCK_LAG;
        $expiry = $seconds < self::LONGEST_RELATIVE_TIME ? $seconds : time() + $seconds;

        return $expiry <= 0x7FFFFFFF ? $expiry : 0;
    }

    /**
     * The server gives each item a number that changes with every write. This writes only if the number is still the
     * one that was read; if another process was first, everything starts over. The server's own counters do not support
     * negative numbers.
     *
     * @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change
     */
    private function change(string $key, \Closure $change): bool
    {
        $name = $this->name($key);
        $added = $this->added[$name] ?? null;
        $added = $added === null || $added[0] !== $this->knownVersion() ? null : $added;
        unset($this->added[$name]);
        for ($try = 0; $try < self::TRIES; ++$try, $added = null) {
            [$version, $there] = $added ?? $this->readWithNumber($name);
            if ($version === null) {
                return false;
            }
            // A value that is not ours, or was cleared, is overwritten but not read.
            $stored = str_starts_with($there[0] ?? '', $version) ? substr($there[0] ?? '', self::VERSION_LENGTH) : '';
            $bytes = $this->opened($stored, $name, $key);
            $until = Envelope::until($stored);
            $new = $change($bytes === null ? null : new Entry($bytes, $until));
            if ($new === false && $added !== null) {
                continue;
            }
            if ($new === false) {
                return false;
            }
            $until = $new === null ? self::PAST : $new->until ?? $until;
            $done = $this->write(
                $key,
                $new === null ? self::NOTHING : $new->stored,
                $until,
                $version,
                $there[1] ?? null,
            );
            if ($done !== false) {
                return $done === true;
            }
            Functions::sleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    /**
     * @return array{string|null, array{string|null, string}|null} the version, null if it cannot be stored; and the
     *         item
     */
    private function readWithNumber(string $name): array
    {
        $items = $this->connection->gets([$name, $this->versionName()]);

        return [$this->learn($items[$this->versionName()][0] ?? null) ?? $this->newVersion(), $items[$name] ?? null];
    }
}
