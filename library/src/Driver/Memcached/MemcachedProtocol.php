<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\LockingStore;
use Larder\Contract\RemoteStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\Envelope;
use Larder\Driver\Common\KeepsBytes;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use Larder\Process\Pid;
use Larder\Server\ConnectionSettings;

/**
 * What the stores on memcached servers have in common, whichever extension speaks to the server.
 *
 * Names have their key URL-encoded, since memcached takes no spaces and control characters. A key of which the name would
 * have more than 250 bytes is hashed, and stands whole beside the value, so that another with the same hash is a miss.
 * memcached counts in whole seconds of its own clock, so a value with a ttl has its exact time of expiry beside it.
 *
 * clear() gives the namespace a new random version, which stands in every name: one step, and nobody else's values are
 * touched. A process asks for the version again when it is older than 0.05 s, so it is that late at most in seeing
 * another's clear(). A server that drops the version for lack of memory has lost the namespace.
 *
 * Whatever the extension, items are read by MemcachedText, which unserializes nothing.
 */
abstract class MemcachedProtocol implements RemoteStore, AtomicStore, LockingStore, ExpiryAwareStore, EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;
    use KeepsBytes;

    private const TRIES = 1000;
    /** A unix time that is over. */
    private const PAST = 1.0;
    /** Stands in the place of what was removed: no codec's bytes. */
    private const NOTHING = "\0";

    /** Bytes of a name that the server takes. */
    protected const NAME_LIMIT = 250;

    /** memcached takes more than 30 days for a unix time. */
    private const LONGEST_RELATIVE_TIME = 30 * 86_400;

    /** Seconds. */
    private const CLOCK_LAG = 2;

    /** Bytes of a value, less those that may stand before it. */
    private const LONGEST_VALUE = MemcachedText::LONGEST_VALUE - 2 * Key::MAX_LENGTH;

    private const DIRECT = '~';
    private const HASHED = '#';

    protected MemcachedItems $text;
    protected readonly NamespaceVersion $version;
    protected int $process = 0;
    private readonly int $opener;

    public function __construct(
        protected readonly ConnectionSettings $settings,
        private readonly string $namespace = 'larder',
        protected readonly Codec $codec = new PhpCodec(),
    ) {
        NamespaceName::check($namespace);
        $this->version = NamespaceVersion::of($settings->endpoint, $namespace);
        $this->opener = Pid::own();
    }

    public function reach(): void
    {
        $this->ready();

        try {
            $this->text->version();
        } catch (StoreFailed $failure) {
            $cause = $failure->getPrevious();

            throw $cause instanceof StoreUnavailable ? $cause : StoreUnavailable::because($failure->store, $failure->what, 'Is memcached running there, and not overloaded?', $failure);
        }
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $stored = $this->readAll($keys);
        $values = [];
        foreach ($keys as $key) {
            $bytes = isset($stored[$key]) ? $this->opened($stored[$key][1], $stored[$key][0], $key) : null;
            $values[$key] = $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
        }

        return $values;
    }

    public function entries(array $keys): array
    {
        $entries = [];
        foreach ($this->readAll($keys) as $key => [$name, $sealed]) {
            $bytes = $this->opened($sealed, $name, (string) $key);
            $value = $bytes === null ? $this : $this->codec->decode($bytes, (string) $key, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, Envelope::until($sealed));
            }
        }

        return $entries;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $bytes = $this->codec->encode($value, $key);

        return $ttl === 0 ? $this->store($key, $bytes, 0.0, 0) : $this->store($key, $bytes, Ttl::until($ttl), self::expiry($ttl));
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $keys = Key::of($values);
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);
        $until = Ttl::until($ttl);
        if ($keys === []) {
            return true;
        }
        $items = $tooLong = [];
        foreach ($keys as $i => $key) {
            $name = $this->nameOfChecked($key);
            if ($name === null) {
                return false;
            }
            if (\strlen($encoded[$i]) > self::LONGEST_VALUE) {
                $tooLong[] = $name;
            } else {
                $items[$name] = $this->sealed($encoded[$i], $until, $name, $key);
            }
        }

        try {
            $refused = [...$tooLong, ...$this->text->setMany($items, self::expiry($ttl))];
        } catch (StoreFailed) {
            $this->ready();
            $refused = [...$tooLong, ...array_map(strval(...), array_keys($items))];
        }
        $this->text->deleteMany($refused);

        return $refused === [];
    }

    public function delete(string $key): bool
    {
        // It must act on what others have stored since they emptied the namespace, be it a moment ago.
        $this->version->expire();
        $name = $this->name($key);

        if ($name === null) {
            return false;
        }
        $this->remove($name);

        return true;
    }

    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        if ($keys === []) {
            return true;
        }
        $this->version->expire(); // as in delete()
        $names = array_map($this->nameOfChecked(...), $keys);
        $this->text->deleteMany(array_values(array_filter($names, is_string(...))));

        return !\in_array(null, $names, true);
    }

    /** A server with -M does not, and there is no way to ask for that. */
    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        $this->ready();
        $version = NamespaceVersion::random();
        if (!$this->write($this->versionName(), $version, 0)) {
            return false;
        }
        $this->version->set($version);

        return true;
    }

    /** @return string that of the DSN, for messages */
    abstract protected function scheme(): string;

    /** Makes the client that writes, which connects with its first command. Throws nothing. */
    protected function connect(bool $persistent): void {}

    /**
     * @param int $expiry as memcached takes it
     * @return bool false when refused
     */
    abstract protected function write(string $name, string $bytes, int $expiry): bool;

    /** @return bool|null false when there is something; null when refused */
    abstract protected function writeNew(string $name, string $bytes, int $expiry): ?bool;

    /** Throws unless there is nothing under that name any more. */
    abstract protected function remove(string $name): void;

    /** What reads, which connects with its first request. Throws nothing. */
    protected function items(bool $persistent): MemcachedItems
    {
        return new MemcachedText(new MemcachedConnection(new MemcachedConnector($this->scheme(), $this->settings, $persistent)));
    }

    /** Bytes of a name, at most. */
    protected function nameLimit(): int
    {
        return self::NAME_LIMIT;
    }

    /** In a fork no connection is persistent: it would be the parent's. */
    protected function isPersistent(): bool
    {
        return $this->settings->persistent && $this->opener === Pid::own();
    }

    /** Reconnects with the next command. */
    protected function startOver(): void
    {
        $this->process = 0;
    }

    /**
     * @param list<string> $keys
     * @return array<array-key, array{string, string}> by key, the name and what is stored under it
     */
    private function readAll(array $keys): array
    {
        $names = [];
        foreach ($keys as $key) {
            $name = $this->name($key);
            if ($name !== null) {
                $names[$key] = $name;
            }
        }
        $stored = $names === [] ? [] : $this->text->getMany(array_values($names));
        $found = [];
        foreach ($names as $key => $name) {
            if (isset($stored[$name])) {
                $found[$key] = [$name, $stored[$name]];
            }
        }

        return $found;
    }

    private function bytes(string $key): ?string
    {
        Key::check($key);
        $name = $this->nameOfChecked($key);
        $stored = $name === null ? null : $this->text->get($name);
        if ($stored === null || $stored === '') {
            return null;
        }

        // Most are as the codec wrote them.
        return $stored[0] === Envelope::MARK || str_contains($name, self::HASHED) ? $this->opened($stored, $name, $key) : $stored;
    }

    /** @param string $key that was checked */
    private function store(string $key, string $bytes, float $until, int $expiry): bool
    {
        $name = $this->nameOfChecked($key);
        if ($name === null) {
            return false;
        }
        if (\strlen($bytes) > self::LONGEST_VALUE) {
            $this->remove($name);

            return false;
        }

        try {
            if ($this->write($name, $this->sealed($bytes, $until, $name, $key), $expiry)) {
                return true;
            }
        } catch (StoreFailed) {
            $this->ready();
        }
        $this->remove($name);

        return false;
    }

    private function sealed(string $bytes, float $until, string $name, string $key): string
    {
        $isHashed = $this->isHashed($name);

        return $until === 0.0 && !$isHashed ? $bytes : Envelope::seal($bytes, $until, $isHashed ? $key : '');
    }

    private function opened(string $stored, string $name, string $key): ?string
    {
        return Envelope::open($stored, $this->isHashed($name) ? $key : '');
    }

    /** @return string|null null when the server has no place for a version */
    private function name(string $key): ?string
    {
        Key::check($key);

        return $this->nameOfChecked($key);
    }

    private function nameOfChecked(string $key): ?string
    {
        if ($this->process !== Pid::own() || hrtime(true) > $this->version->until) {
            $this->ready();
            $this->askForVersion();
        }
        $prefix = $this->version->prefix;
        if ($prefix === null) {
            return null;
        }
        $name = $prefix . self::DIRECT . rawurlencode($key);

        return \strlen($name) <= $this->nameLimit() ? $name : $prefix . self::HASHED . hash('xxh128', $key);
    }

    private function isHashed(string $name): bool
    {
        return str_contains($name, self::HASHED); // nowhere else unencoded
    }

    private function askForVersion(): void
    {
        $stored = $this->storedVersion();
        if ($stored === null) {
            $this->writeNew($this->versionName(), NamespaceVersion::random(), 0);
            $stored = $this->storedVersion();
        }
        if ($stored === null) {
            // Somebody else has put there what is none, or the server has no place.
            $this->write($this->versionName(), NamespaceVersion::random(), 0);
            $stored = $this->storedVersion();
        }
        $this->version->set($stored);
    }

    private function storedVersion(): ?string
    {
        return NamespaceVersion::checked($this->text->get($this->versionName()));
    }

    private function versionName(): string
    {
        return $this->namespace . ':generation';
    }

    protected function ready(): void
    {
        if ($this->process !== Pid::own()) {
            $persistent = $this->isPersistent();
            $this->text = $this->items($persistent);
            $this->connect($persistent);
            $this->process = Pid::own();
            $this->version->expire(); // a process that reopens a cache sees that others have cleared it
        }
    }

    /**
     * Later than asked, since the clock that memcached goes by ticks in whole seconds, and not at all while the machine
     * stands still: a lock must not fall too soon. The envelope knows the exact time.
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
     * Each value has a number in the server that is new with every change: it writes only where the number is the one that
     * was read. When another was first, all begins again. The server's own counters know no negative numbers.
     *
     * @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change
     */
    private function change(string $key, \Closure $change): bool
    {
        for ($try = 0; $try < self::TRIES; ++$try) {
            $name = $this->name($key);
            if ($name === null) {
                return false;
            }
            $there = $this->text->gets($name);
            $stored = $there[0] ?? ''; // what is not ours is to be written over, but not read
            $bytes = $this->opened($stored, $name, $key);
            $until = Envelope::until($stored);
            $new = $change($bytes === null ? null : new Entry($bytes, $until));
            if ($new === false) {
                return false;
            }
            $until = $new === null ? self::PAST : $new->until ?? $until;
            $sealed = $this->sealed($new === null ? self::NOTHING : $new->stored, $until, $name, $key);
            $expiry = $until === 0.0 ? 0 : self::expiry(max(0.001, $until - microtime(true)));
            $done = $there === null ? $this->writeNew($name, $sealed, $expiry) : $this->text->cas($name, $sealed, $expiry, $there[1]);
            if ($done !== false) {
                return $done === true;
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }
}
