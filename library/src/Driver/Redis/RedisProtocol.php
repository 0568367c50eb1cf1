<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\RemoteStore;
use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use Larder\Key\Ttl;
use Larder\Process\Pid;
use Predis\PredisException;
use RedisException;

/**
 * What the stores on Redis and Valkey servers have in common, whichever client speaks to the server.
 *
 * Names are "larder-cache:namespace:key", so that clear(), which looks for them (SCAN) and unlinks them without holding up
 * the server, meets none of a program's own. After a failure the connection is given up, and the next call opens a new one:
 * an answer that came late is nobody's. The same after an answer that took longer than it may: some clients keep no time
 * for the rest of one that has begun. A TypeError is Predis's when another client of this process has closed the persistent
 * connection that both had.
 */
abstract class RedisProtocol implements RemoteStore, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore
{
    use RedisAtomics;

    /** What a server says that is there and works, but does not do this: its memory is full, it only reads, … */
    private const REFUSAL = '/^(OOM|MISCONF|NOREPLICAS|READONLY|WRONGTYPE|NOPERM|ERR(?! max number of clients)) /';

    /** What nobody else begins the names of his keys with by accident. */
    private const PREFIX = 'larder-cache:';
    /** Nanoseconds. A server that closes idle connections gives them a second at least. */
    private const IDLE = 1_000_000_000;
    /** Timeouts that an answer may take as a whole, each wait for a part of it being less than one. */
    private const TIMEOUTS = 4;

    private int $process = 0;
    /** When the connection was last used, in nanoseconds. */
    private int $used = 0;
    private readonly int $opener;
    private readonly string $prefix;
    private readonly \SensitiveParameterValue $secret;
    /** Nanoseconds that an answer may take. */
    private readonly int $patience;

    /** @throws StoreUnavailable when the client is missing */
    public function __construct(
        protected readonly Endpoint $endpoint,
        string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
        protected readonly float $timeout = 1.0,
        private readonly bool $persistent = false,
        protected readonly string $user = '',
        #[\SensitiveParameter]
        string $password = '',
        protected readonly int $database = 0,
    ) {
        NamespaceName::check($namespace);
        $this->checkClient();
        $this->opener = Pid::own();
        $this->prefix = self::prefix($namespace);
        $this->secret = new \SensitiveParameterValue($password);
        $this->patience = (int) (self::TIMEOUTS * 1e9 * $timeout);
    }

    /** What the names of a namespace begin with in the server. */
    public static function prefix(string $namespace): string
    {
        return self::PREFIX . $namespace . ':';
    }

    public function reach(): void
    {
        if ($this->process === Pid::own()) {
            return;
        }

        try {
            $this->connectAnew();
        } catch (RedisException|PredisException|\TypeError $cause) {
            $this->disconnect();

            // Without the cause: its trace has what the client was given, the password too.
            throw RedisTrouble::of($this->endpoint, $cause->getMessage());
        }
        $this->process = Pid::own();
        $this->used = hrtime(true);
    }

    public function get(string $key, mixed $default = null): mixed
    {
        Key::check($key);

        try {
            $start = $this->ready();
            $bytes = $this->read($this->prefix . $key);
            if (hrtime(true) - $start > $this->patience) {
                throw $this->late();
            }
        } catch (\Throwable $error) {
            $this->refused($error, isRead: true);

            return $default;
        }

        return $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $names = array_map($this->name(...), $keys);
        $stored = $names === [] ? [] : $this->asks(fn(): array => $this->readMany($names)) ?? [];
        $values = [];
        foreach ($keys as $i => $key) {
            $bytes = $stored[$i] ?? null;
            $values[$key] = \is_string($bytes) ? $this->codec->decode($bytes, $key, $default) : $default;
        }

        return $values;
    }

    public function has(string $key): bool
    {
        $name = $this->name($key);

        return $this->asks(fn(): bool => $this->exists($name)) ?? false;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $bytes = $this->codec->encode($value, $key);
        $milliseconds = $ttl === 0 ? 0 : self::milliseconds($ttl);

        try {
            $this->ready();
            if ($this->write($this->prefix . $key, $bytes, $milliseconds)) {
                return true;
            }
        } catch (\Throwable $error) {
            $this->abandon($error);
        }
        // A server hangs up on what is too large as one that goes away does: only the next command tells which it was.
        $this->giveUp();
        $this->delete($key);

        return false;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $milliseconds = self::milliseconds($ttl);
        $keys = Key::of($values);
        if ($keys === []) {
            return true;
        }
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);
        $named = array_combine(array_map(fn(string $key): string => $this->prefix . $key, $keys), $encoded);

        try {
            $this->ready();
            if ($this->writeMany($named, $milliseconds)) {
                return true;
            }
        } catch (\Throwable $error) {
            $this->abandon($error);
        }
        $this->giveUp(); // as in set()
        foreach ($keys as $key) {
            $this->delete($key);
        }

        return false;
    }

    public function delete(string $key): bool
    {
        $name = $this->name($key);

        return $this->asks(fn(): bool => $this->remove([$name])) ?? false;
    }

    public function clear(): bool
    {
        return $this->asks(function (): bool {
            foreach ($this->names($this->prefix . '*') as $names) {
                $this->remove($names);
            }

            return $this->answers();
        }, isOneAnswer: false) ?? false;
    }

    /** @throws StoreUnavailable when the client is missing */
    abstract protected function checkClient(): void;

    /**
     * Opens a connection, logged in and with the database chosen.
     *
     * @throws RedisException|PredisException|\TypeError
     */
    abstract protected function connect(bool $persistent): void;

    /** @return array{}|array{string}|array{string, string} the password, or user and password, which may be empty */
    protected function login(): array
    {
        $password = $this->secret->getValue();

        return match (true) {
            $this->user !== '' => [$this->user, $password],
            $password !== '' => [$password],
            default => [],
        };
    }

    /** Tells the connections that are kept open, and are all alike, from those of the program. */
    protected function connectionName(): string
    {
        return 'larder-' . hash('sha256', serialize([$this->login(), $this->database]));
    }

    /** Closes it for good, even a persistent one. Throws nothing. */
    abstract protected function disconnect(): void;

    /** @throws RedisException|PredisException|\TypeError */
    abstract protected function answers(): bool;

    /** @throws RedisException|PredisException|\TypeError */
    abstract protected function read(string $name): ?string;

    /**
     * @param non-empty-list<string> $names
     * @return array<int, mixed> in their order, strings where found
     * @throws RedisException|PredisException|\TypeError
     */
    abstract protected function readMany(array $names): array;

    /** @throws RedisException|PredisException|\TypeError */
    abstract protected function exists(string $name): bool;

    /**
     * @param int $milliseconds to live, 0 for ever
     * @throws RedisException|PredisException|\TypeError
     */
    abstract protected function write(string $name, string $bytes, int $milliseconds): bool;

    /**
     * @param array<string, string> $values
     * @throws RedisException|PredisException|\TypeError
     */
    abstract protected function writeMany(array $values, int $milliseconds): bool;

    /**
     * @param non-empty-list<string> $names
     * @throws RedisException|PredisException|\TypeError
     */
    abstract protected function remove(array $names): bool;

    /**
     * @return iterable<non-empty-list<string>> some names at a time
     * @throws RedisException|PredisException|\TypeError
     */
    abstract protected function names(string $pattern): iterable;

    private function name(string $key): string
    {
        Key::check($key);

        return $this->prefix . $key;
    }

    /**
     * @template T
     * @param \Closure(): T $work
     * @param bool $isOneAnswer whether it waits for one answer, and not for many
     * @return T|null null when the server answered, and refused
     * @throws StoreFailed
     */
    private function asks(\Closure $work, bool $isOneAnswer = true): mixed
    {
        try {
            $start = $this->ready();
            $answer = $work();
            if ($isOneAnswer && hrtime(true) - $start > $this->patience) {
                throw $this->late();
            }

            return $answer;
        } catch (\Throwable $error) {
            $this->refused($error);

            return null;
        }
    }

    /** @throws RedisException|PredisException|\TypeError */
    private function connectAnew(): void
    {
        // In a fork no persistent connection: it would be the parent's.
        if ($this->persistent && $this->opener === Pid::own()) {
            try {
                $this->connect(true);

                return;
            } catch (RedisException|PredisException|\TypeError) {
                // A request that died may have left an answer in it.
                $this->disconnect();
            }
        }
        $this->connect(false);
    }

    /**
     * Connects, unless it is connected. A connection that was idle is asked first whether it still stands, since no
     * client is to send a command twice, nor to connect anew by itself.
     *
     * @return int nanoseconds: when it was ready
     * @throws StoreFailed
     */
    private function ready(): int
    {
        $now = hrtime(true);
        if ($this->process === Pid::own() && ($now - $this->used < self::IDLE || $this->stands())) {
            return $this->used = $now;
        }

        try {
            $this->reach();
        } catch (StoreUnavailable $none) {
            $reason = \sprintf('%s. %s', $none->what, $none->how);

            throw RedisTrouble::isRefusal($none->what) ? StoreFailed::refused('redis', $reason) : StoreFailed::because('redis', $reason, $none);
        }

        return $this->used;
    }

    /** Whether the connection is of use; it is given up if not. */
    private function stands(): bool
    {
        try {
            if ($this->answers()) {
                return true;
            }
            $this->giveUp();
        } catch (\Throwable $error) {
            $this->abandon($error);
        }

        return false;
    }

    /**
     * @param bool $isRead of one value: a user who may not read has no use of the cache, and is told so
     * @throws \Throwable unless the server answered, and refused
     */
    private function refused(\Throwable $error, bool $isRead = false): void
    {
        $this->abandon($error);
        if ($isRead && str_starts_with($error->getMessage(), 'NOPERM ')) {
            throw StoreFailed::refused('redis', \sprintf('%s: %s', $this->endpoint, $error->getMessage()));
        }
        if (preg_match(self::REFUSAL, $error->getMessage()) !== 1) {
            throw StoreFailed::because('redis', \sprintf('no proper answer from %s (%s)', $this->endpoint, $error->getMessage()), $error);
        }
    }

    /**
     * Whatever was thrown, by a signal's handler too: an answer may still be on its way, so the connection is given up.
     *
     * @throws \Throwable what is not of the client, or says that there is no connection
     */
    private function abandon(\Throwable $error): void
    {
        $this->giveUp();
        if (!$error instanceof RedisException && !$error instanceof PredisException && !$error instanceof \TypeError) {
            throw $error;
        }
    }

    private function late(): StoreFailed
    {
        return StoreFailed::because('redis', \sprintf('an answer from %s took longer than %g seconds', $this->endpoint, self::TIMEOUTS * $this->timeout));
    }

    private function giveUp(): void
    {
        if ($this->process === Pid::own()) {
            $this->disconnect();
            $this->process = 0;
        }
    }

    private static function milliseconds(int|float $ttl): int
    {
        return (int) ceil(1000 * Ttl::seconds($ttl));
    }
}
