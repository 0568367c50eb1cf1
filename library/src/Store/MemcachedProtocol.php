<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Endpoint;
use Larder\Exception\StoreUnavailable;

/**
 * What the stores on memcached servers have in common, whichever extension speaks to the server.
 *
 * A key that memcached cannot take (over 250 bytes, spaces, control characters) is hashed, and the full key stands beside
 * the value, so that another key with the same hash is a miss. memcached counts in whole seconds of its own clock, so a
 * value with a ttl has its exact time of expiry beside it.
 *
 * clear() gives the namespace a new random generation, which stands in every name: one step, and nobody else's values are
 * touched. A process asks for the generation again when it is older than 0.05 s, so it is that late at most in seeing
 * another's clear(). A server that drops the generation for lack of memory has lost the namespace.
 */
abstract class MemcachedProtocol implements Store
{
    private const NAME_LIMIT = 250;
    private const PLAIN_BYTES = '!"#$%&\'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\]^_`abcdefghijklmnopqrstuvwxyz{|}~';
    private const GENERATION_NANOSECONDS = 50_000_000;

    /** memcached takes more than 30 days for a unix time. */
    private const LONGEST_RELATIVE_TIME = 30 * 86_400;

    private ?string $generation = null;
    private int $generationUntil = 0;
    private int $process;

    /** @throws StoreUnavailable */
    public function __construct(
        protected readonly Endpoint $endpoint,
        private readonly string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
        protected readonly float $timeout = 1.0,
        protected readonly bool $persistent = false,
    ) {
        $this->process = (int) getmypid();
        $this->connect();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $bytes = $this->bytes($key);

        return $bytes === null ? $default : $this->codec->decode($bytes, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        array_map(Key::check(...), $keys);
        $generation = $this->generation();
        if ($generation === null) {
            return array_fill_keys($keys, $default);
        }
        $names = [];
        foreach ($keys as $key) {
            $names[$key] = self::name($generation, $key);
        }
        $stored = $names === [] ? [] : $this->readMany(array_values($names));
        $values = [];
        foreach ($keys as $key) {
            $name = $names[$key];
            $bytes = isset($stored[$name]) ? Envelope::open($stored[$name], self::proof($name, $key)) : null;
            $values[$key] = $bytes === null ? $default : $this->codec->decode($bytes, $default);
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return $this->bytes($key) !== null;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);

        return $this->store($key, $this->codec->encode($value), Ttl::until($ttl), self::expiry($ttl));
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $keys = Key::of($values);
        $encoded = array_map($this->codec->encode(...), array_values($values));
        $until = Ttl::until($ttl);
        $all = true;
        foreach ($keys as $i => $key) {
            $all = $this->store($key, $encoded[$i], $until, self::expiry($ttl)) && $all;
        }

        return $all;
    }

    public function delete(string $key): bool
    {
        Key::check($key);
        $generation = $this->generation();

        return $generation !== null && $this->remove(self::name($generation, $key));
    }

    public function clear(): bool
    {
        $this->reconnectInFork();
        $generation = self::newGeneration();
        if (!$this->write($this->generationName(), $generation, 0)) {
            return false;
        }
        $this->remember($generation);

        return true;
    }

    /** @throws StoreUnavailable when the extension is missing or no server answers */
    abstract protected function connect(): void;

    abstract protected function read(string $name): ?string;

    /**
     * @param list<string> $names
     * @return array<string, string> those found
     */
    abstract protected function readMany(array $names): array;

    /** @param int $expiry as memcached takes it */
    abstract protected function write(string $name, string $bytes, int $expiry): bool;

    abstract protected function add(string $name, string $bytes): void;

    /** @return bool true when there is nothing under that name any more */
    abstract protected function remove(string $name): bool;

    private function bytes(string $key): ?string
    {
        Key::check($key);
        $generation = $this->generation();
        if ($generation === null) {
            return null;
        }
        $name = self::name($generation, $key);
        $stored = $this->read($name);

        return $stored === null ? null : Envelope::open($stored, self::proof($name, $key));
    }

    private function store(string $key, string $bytes, float $until, int $expiry): bool
    {
        $generation = $this->generation();
        if ($generation === null) {
            return false;
        }
        $name = self::name($generation, $key);
        $proof = self::proof($name, $key);
        if ($this->write($name, $until === 0.0 && $proof === '' ? $bytes : Envelope::seal($bytes, $until, $proof), $expiry)) {
            return true;
        }
        $this->remove($name);

        return false;
    }

    /** @return string|null what names begin with; null when the server does not answer */
    private function generation(): ?string
    {
        $this->reconnectInFork();
        if ($this->generation !== null && hrtime(true) < $this->generationUntil) {
            return $this->generation;
        }
        $stored = $this->read($this->generationName());
        if ($stored === null) {
            $this->add($this->generationName(), self::newGeneration());
            $stored = $this->read($this->generationName());
        }
        $this->remember($stored);

        return $this->generation;
    }

    private function remember(?string $generation): void
    {
        $this->generation = $generation === null ? null : $this->namespace . ':' . $generation;
        $this->generationUntil = (int) hrtime(true) + self::GENERATION_NANOSECONDS;
    }

    private function generationName(): string
    {
        return $this->namespace . ':generation';
    }

    private static function newGeneration(): string
    {
        return base64_encode(random_bytes(9));
    }

    private function reconnectInFork(): void
    {
        if ($this->process !== getmypid()) {
            $this->process = (int) getmypid();
            $this->generation = null;
            $this->connect();
        }
    }

    private static function name(string $generation, string $key): string
    {
        $name = $generation . '=' . $key;

        return \strlen($name) <= self::NAME_LIMIT && strspn($key, self::PLAIN_BYTES) === \strlen($key)
            ? $name
            : $generation . '#' . hash('xxh128', $key);
    }

    /** @return string the full key for a hashed name, else "" */
    private static function proof(string $name, string $key): string
    {
        return str_ends_with($name, '=' . $key) ? '' : $key;
    }

    /** One second more than asked, since memcached's clock ticks in whole ones; the envelope knows the exact time. */
    private static function expiry(int|float $ttl): int
    {
        $seconds = (int) ceil(Ttl::seconds($ttl));
        if ($seconds === 0) {
            return 0;
        }
        $expiry = $seconds < self::LONGEST_RELATIVE_TIME ? $seconds + 1 : time() + $seconds + 1;

        return $expiry <= 0x7FFFFFFF ? $expiry : 0;
    }
}
