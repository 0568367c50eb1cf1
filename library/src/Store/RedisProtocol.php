<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Endpoint;
use Larder\Exception\StoreUnavailable;
use Larder\Store\Capability\Adds;
use Larder\Store\Capability\Counts;
use Larder\Store\Capability\Lists;
use Larder\Store\Capability\Locks;
use Larder\Store\Capability\Replaces;
use Larder\Store\Capability\Swaps;
use Larder\Store\Capability\Touches;
use Predis\PredisException;
use RedisException;

/**
 * What the stores on Redis and Valkey servers have in common, whichever client speaks to the server.
 *
 * Names are "namespace:key". clear() looks for those (SCAN) and unlinks them, without holding up the server. After a
 * failure the connection is given up, and the next call opens a new one: an answer that came late is nobody's.
 */
abstract class RedisProtocol implements Store, Adds, Replaces, Counts, Touches, Swaps, Locks, Lists
{
    use RedisAtomics;

    private int $process = 0;
    private readonly string $prefix;

    /** @throws StoreUnavailable */
    public function __construct(
        protected readonly Endpoint $endpoint,
        string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
        protected readonly float $timeout = 1.0,
        private readonly bool $persistent = false,
        protected readonly string $user = '',
        #[\SensitiveParameter]
        protected readonly string $password = '',
        protected readonly int $database = 0,
    ) {
        $this->checkClient();
        $this->prefix = $namespace . ':';

        try {
            $this->ready();
        } catch (RedisException|PredisException $cause) {
            throw StoreUnavailable::because(
                'redis',
                \sprintf('no connection to %s (%s)', $endpoint, $cause->getMessage()),
                'Is Redis running there, and are password and database right? To have it: apt-get install redis-server',
                $cause,
            );
        }
    }

    public function get(string $key, mixed $default = null): mixed
    {
        Key::check($key);

        try {
            $this->ready();
            $bytes = $this->read($this->prefix . $key);
        } catch (RedisException|PredisException) {
            $this->giveUp();

            return $default;
        }

        return $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        array_map(Key::check(...), $keys);
        $stored = [];

        try {
            $this->ready();
            $stored = $keys === [] ? [] : $this->readMany(array_map(fn(string $key): string => $this->prefix . $key, $keys));
        } catch (RedisException|PredisException) {
            $this->giveUp();
        }
        $values = [];
        foreach ($keys as $i => $key) {
            $bytes = $stored[$i] ?? null;
            $values[$key] = \is_string($bytes) ? $this->codec->decode($bytes, $key, $default) : $default;
        }

        return $values;
    }

    public function has(string $key): bool
    {
        Key::check($key);

        try {
            $this->ready();

            return $this->exists($this->prefix . $key);
        } catch (RedisException|PredisException) {
            $this->giveUp();

            return false;
        }
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $bytes = $this->codec->encode($value, $key);
        $milliseconds = self::milliseconds($ttl);

        try {
            $this->ready();
            if ($this->write($this->prefix . $key, $bytes, $milliseconds)) {
                return true;
            }
        } catch (RedisException|PredisException) {
            // too large for the server, or the server is full or away
        }
        // A server that refuses by hanging up leaves a connection of no use.
        $this->giveUp();
        $this->delete($key);

        return false;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $milliseconds = self::milliseconds($ttl);
        $keys = Key::of($values);
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);
        $named = array_combine(array_map(fn(string $key): string => $this->prefix . $key, $keys), $encoded);

        try {
            $this->ready();
            if ($named === [] || $this->writeMany($named, $milliseconds)) {
                return true;
            }
        } catch (RedisException|PredisException) {
            // as in set()
        }
        $this->giveUp();
        foreach ($keys as $key) {
            $this->delete($key);
        }

        return false;
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        try {
            $this->ready();

            return $this->remove([$this->prefix . $key]);
        } catch (RedisException|PredisException) {
            $this->giveUp();

            return false;
        }
    }

    public function clear(): bool
    {
        try {
            $this->ready();
            foreach ($this->names($this->prefix . '*') as $names) {
                $this->remove($names);
            }

            return $this->answers();
        } catch (RedisException|PredisException) {
            $this->giveUp();

            return false;
        }
    }

    /** @throws StoreUnavailable when the client is missing */
    abstract protected function checkClient(): void;

    /**
     * Opens a connection, logged in and with the database chosen.
     *
     * @throws RedisException|PredisException
     */
    abstract protected function connect(bool $persistent): void;

    /** Closes it for good, even a persistent one. Throws nothing. */
    abstract protected function disconnect(): void;

    /** @throws RedisException|PredisException */
    abstract protected function answers(): bool;

    /** @throws RedisException|PredisException */
    abstract protected function read(string $name): ?string;

    /**
     * @param non-empty-list<string> $names
     * @return array<int, mixed> in their order, strings where found
     * @throws RedisException|PredisException
     */
    abstract protected function readMany(array $names): array;

    /** @throws RedisException|PredisException */
    abstract protected function exists(string $name): bool;

    /**
     * @param int $milliseconds to live, 0 for ever
     * @throws RedisException|PredisException
     */
    abstract protected function write(string $name, string $bytes, int $milliseconds): bool;

    /**
     * @param array<string, string> $values
     * @throws RedisException|PredisException
     */
    abstract protected function writeMany(array $values, int $milliseconds): bool;

    /**
     * @param non-empty-list<string> $names
     * @throws RedisException|PredisException
     */
    abstract protected function remove(array $names): bool;

    /**
     * @return iterable<non-empty-list<string>> some names at a time
     * @throws RedisException|PredisException
     */
    abstract protected function names(string $pattern): iterable;

    /** @throws RedisException|PredisException */
    private function ready(): void
    {
        if ($this->process !== getmypid()) {
            // In a fork no persistent connection: it would be the parent's.
            $this->connect($this->persistent && $this->process === 0);
            $this->process = (int) getmypid();
        }
    }

    private function giveUp(): void
    {
        if ($this->process === getmypid()) {
            $this->disconnect();
            $this->process = 0;
        }
    }

    private static function milliseconds(int|float $ttl): int
    {
        return (int) ceil(1000 * Ttl::seconds($ttl));
    }
}
