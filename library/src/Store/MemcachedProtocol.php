<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Pid;
use Larder\Store\Capability\Adds;
use Larder\Store\Capability\Counts;
use Larder\Store\Capability\Locks;
use Larder\Store\Capability\Replaces;
use Larder\Store\Capability\Swaps;
use Larder\Store\Capability\TellsExpiry;
use Larder\Store\Capability\Touches;

/**
 * What the stores on memcached servers have in common, whichever extension speaks to the server.
 *
 * Names have their key URL-encoded, since memcached takes no spaces and control characters. A key of which the name would
 * have more than 250 bytes is hashed, and stands whole beside the value, so that another with the same hash is a miss.
 * memcached counts in whole seconds of its own clock, so a value with a ttl has its exact time of expiry beside it.
 *
 * clear() gives the namespace a new random generation, which stands in every name: one step, and nobody else's values are
 * touched. A process asks for the generation again when it is older than 0.05 s, so it is that late at most in seeing
 * another's clear(). A server that drops the generation for lack of memory has lost the namespace.
 */
abstract class MemcachedProtocol implements Remote, Adds, Replaces, Counts, Touches, Swaps, Locks, TellsExpiry
{
    use MemcachedAtomics;
    use KeepsBytes;

    private const NAME_LIMIT = 250;
    private const GENERATION_NANOSECONDS = 50_000_000;

    /** memcached takes more than 30 days for a unix time. */
    private const LONGEST_RELATIVE_TIME = 30 * 86_400;

    /** Seconds. */
    private const CLOCK_LAG = 2;

    private const DIRECT = '~';
    private const HASHED = '#';

    /** What names begin with; null while the server has none. */
    private ?string $generation = null;

    /** By hrtime(). */
    private int $generationUntil = 0;
    private int $process = 0;
    private readonly int $opener;

    /** @throws StoreUnavailable when the extension is missing */
    public function __construct(
        protected readonly Endpoint $endpoint,
        private readonly string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
        protected readonly float $timeout = 1.0,
        private readonly bool $persistent = false,
    ) {
        NamespaceName::check($namespace);
        StoreUnavailable::unlessLoaded($this->scheme(), $this->scheme(), $this->scheme());
        $this->opener = Pid::own();
    }

    public function reach(): void
    {
        $this->ready();

        try {
            $this->ask();
        } catch (StoreFailed $failure) {
            throw StoreUnavailable::because($failure->store, $failure->what, 'Is memcached running there? To have it: apt-get install memcached', $failure);
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
        $expiry = self::expiry($ttl);
        $all = true;
        foreach ($keys as $i => $key) {
            $all = $this->store($key, $encoded[$i], $until, $expiry) && $all;
        }

        return $all;
    }

    public function delete(string $key): bool
    {
        // It must act on what others have stored since they emptied the namespace, be it a moment ago.
        $this->generationUntil = 0;
        $name = $this->name($key);

        if ($name === null) {
            return false;
        }
        $this->remove($name);

        return true;
    }

    public function clear(): bool
    {
        $this->ready();
        $generation = self::newGeneration();
        if (!$this->write($this->generationName(), $generation, 0)) {
            return false;
        }
        $this->remember($generation);

        return true;
    }

    /** @return 'memcached'|'memcache' the extension, and the addresses that ask for it */
    abstract protected function scheme(): string;

    /** Makes a client, which connects with its first command. Throws nothing. */
    abstract protected function connect(bool $persistent): void;

    /** Closes its connection for good, even a persistent one. Throws nothing. */
    abstract protected function disconnect(): void;

    /** @throws StoreFailed unless the server answers */
    abstract protected function ask(): void;

    /** @throws StoreFailed */
    abstract protected function read(string $name): ?string;

    /**
     * @param list<string> $names
     * @return array<string, string> those found
     * @throws StoreFailed
     */
    abstract protected function readMany(array $names): array;

    /**
     * @param int $expiry as memcached takes it
     * @return bool false when refused
     * @throws StoreFailed
     */
    abstract protected function write(string $name, string $bytes, int $expiry): bool;

    /**
     * @return bool|null false when there is something; null when refused
     * @throws StoreFailed
     */
    abstract protected function writeNew(string $name, string $bytes, int $expiry): ?bool;

    /**
     * @return array{string, int|float}|null bytes, and what tells the server that nobody has changed them
     * @throws StoreFailed
     */
    abstract protected function readToSwap(string $name): ?array;

    /**
     * @return bool|null false when somebody has changed or removed it; null when refused
     * @throws StoreFailed
     */
    abstract protected function writeSwapped(string $name, int|float $unchanged, string $bytes, int $expiry): ?bool;

    /** @throws StoreFailed unless there is nothing under that name any more */
    abstract protected function remove(string $name): void;

    /** Gives the connection up, so that an answer that comes late is nobody's. */
    protected function failed(string $why): StoreFailed
    {
        $this->disconnect();
        $this->process = 0;
        $this->generationUntil = 0;

        return StoreFailed::because($this->scheme(), \sprintf('no answer from %s (%s)', $this->endpoint, $why));
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
        $stored = $names === [] ? [] : $this->readMany(array_values($names));
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
        $stored = $name === null ? null : $this->read($name);
        if ($stored === null || $stored === '') {
            return null;
        }

        // Most are as the codec wrote them.
        return $stored[0] === Envelope::MARK || $this->isHashed($name) ? $this->opened($stored, $name, $key) : $stored;
    }

    /** @param string $key that was checked */
    private function store(string $key, string $bytes, float $until, int $expiry): bool
    {
        $name = $this->nameOfChecked($key);
        if ($name === null) {
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

    /**
     * @return string|null null when the server has no place for a generation
     * @throws StoreFailed
     */
    private function name(string $key): ?string
    {
        Key::check($key);

        return $this->nameOfChecked($key);
    }

    private function nameOfChecked(string $key): ?string
    {
        if ($this->process !== Pid::own() || hrtime(true) > $this->generationUntil) {
            $this->ready();
            $this->askForGeneration();
        }
        if ($this->generation === null) {
            return null;
        }
        $name = $this->generation . self::DIRECT . rawurlencode($key);

        return \strlen($name) <= self::NAME_LIMIT ? $name : $this->generation . self::HASHED . hash('xxh128', $key);
    }

    private function isHashed(string $name): bool
    {
        return $name[\strlen((string) $this->generation)] === self::HASHED;
    }

    private function askForGeneration(): void
    {
        $stored = $this->read($this->generationName());
        if ($stored === null) {
            $this->writeNew($this->generationName(), self::newGeneration(), 0);
            $stored = $this->read($this->generationName());
        }
        $this->remember($stored);
    }

    private function remember(?string $generation): void
    {
        $this->generation = $generation === null ? null : $this->namespace . ':' . $generation;
        $this->generationUntil = $generation === null ? 0 : (int) hrtime(true) + self::GENERATION_NANOSECONDS;
    }

    private function generationName(): string
    {
        return $this->namespace . ':generation';
    }

    private static function newGeneration(): string
    {
        return base64_encode(random_bytes(9));
    }

    private function ready(): void
    {
        if ($this->process !== Pid::own()) {
            // In a fork no persistent connection: it would be the parent's.
            $this->connect($this->persistent && $this->opener === Pid::own());
            $this->process = Pid::own();
            $this->generationUntil = 0;
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
}
