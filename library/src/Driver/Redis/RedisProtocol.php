<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\RemoteStore;
use Larder\Contract\TokenStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use Larder\Key\ReservedKey;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use Larder\Lock\LockState;
use Larder\Process\Pid;
use Larder\Process\Quietly;
use Larder\Server\ConnectionSettings;
use Predis\PredisException;
use RedisException;

/**
 * What the stores on Redis and Valkey servers have in common, whichever client speaks to the server.
 *
 * Names are "larder-cache:namespace:key", so that clear(), which looks for them (SCAN) and unlinks them without holding up
 * the server, meets none of a program's own. After a failure the connection is closed, and the next call opens a new one:
 * a late reply must not answer the next request. The same after an answer that took longer than it may: some clients keep
 * no time for the rest of one that has begun. What the abstract methods throw is the client's: RedisException,
 * PredisException, or TypeError, which is Predis's when another client has closed the persistent connection that both had.
 */
abstract class RedisProtocol implements RemoteStore, AtomicStore, TokenStore, LockingStore, ListableStore, ExpiryAwareStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically {
        increment as private incrementBySwapping;
    }
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    /** Of one command, so that the server is not held up for long. */
    protected const NAMES_AT_ONCE = 1000;

    private const TRIES = 1000;
    private const LOCK_TRIES = 3;

    /** ARGV: bytes that are to be there, "" for none; bytes to store, "" to delete; milliseconds to live, or "keep". */
    private const SWAP = <<<'LUA'
        local there = redis.call('GET', KEYS[1])
        if (there or '') ~= ARGV[1] then return 0 end
        if ARGV[2] == '' then return redis.call('DEL', KEYS[1]) end
        local live = tonumber(ARGV[3])
        if ARGV[3] == 'keep' then
            live = redis.call('PTTL', KEYS[1])
            if live == 0 then live = 1 end
        end
        if live > 0 then
            redis.call('SET', KEYS[1], ARGV[2], 'PX', live)
        else
            redis.call('SET', KEYS[1], ARGV[2])
        end
        return 1
        LUA;

    /** ARGV: SHA-1 of the bytes that are to be there, bytes to store, milliseconds to live. */
    private const SWAP_TOKEN = <<<'LUA'
        local there = redis.call('GET', KEYS[1])
        if not there or redis.sha1hex(there) ~= ARGV[1] then return 0 end
        if ARGV[3] == '0' then
            redis.call('SET', KEYS[1], ARGV[2])
        else
            redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
        end
        return 1
        LUA;

    /** ARGV: what to add; the sum where nothing is there, and its milliseconds to live. Gives the sum as a string: Lua has no such integers. */
    private const COUNT = <<<'LUA'
        if redis.call('EXISTS', KEYS[1]) == 1 then
            redis.call('INCRBY', KEYS[1], ARGV[1])
        elseif ARGV[3] == '0' then
            redis.call('SET', KEYS[1], ARGV[2])
        else
            redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
        end
        return redis.call('GET', KEYS[1])
        LUA;

    /** KEYS: names. Gives bytes and milliseconds to live, or nothing, in their order. */
    private const READ = <<<'LUA'
        local all = {}
        for i, name in ipairs(KEYS) do
            local bytes = redis.call('GET', name)
            all[2 * i - 1] = bytes
            all[2 * i] = bytes and redis.call('PTTL', name)
        end
        return all
        LUA;

    /** ARGV: bytes that are no lock, "" for what is no string. Gives 1 when they are gone. */
    private const REMOVE = <<<'LUA'
        local there = redis.pcall('GET', KEYS[1])
        local isOther = type(there) == 'table' and string.find(there.err, 'WRONGTYPE', 1, true)
        if isOther or there == ARGV[1] then return redis.call('DEL', KEYS[1]) end
        return 0
        LUA;

    /** What a server says that is there and works, but does not do this: its memory is full, it only reads, … */
    private const REFUSAL = '/^(OOM|MISCONF|NOREPLICAS|READONLY|WRONGTYPE|NOPERM|ERR(?! max number of clients)) /';

    /** How many of what was added last are remembered, if they are not longer than so many bytes. */
    private const ADDED = 8;
    private const ADDED_BYTES = 1024;
    /** What nobody else begins the names of his keys with by accident. */
    private const PREFIX = 'larder-cache:';
    /** Nanoseconds. A server that closes idle connections gives them a second at least. */
    private const IDLE = 1_000_000_000;
    /** Timeouts that an answer may take as a whole, each wait for a part of it being less than one. */
    private const TIMEOUTS = 4;

    /** @var array<string, string> SHA-1 of scripts */
    private array $hashes = [];
    /** @var array<string, string> bytes by name: what was added last, such as locks and placeholders, is soon changed, which then needs no read */
    private array $added = [];
    private int $process = 0;
    private bool $isAsking = false;
    /** When the connection was last used, in nanoseconds. */
    private int $used = 0;
    /** When it was opened, likewise. */
    private int $connected = 0;
    private readonly int $opener;
    private readonly string $prefix;
    private \SensitiveParameterValue $login;
    /** Nanoseconds that an answer may take. */
    private readonly int $longestReply;

    /** @throws StoreUnavailable when the client is missing */
    public function __construct(
        protected readonly ConnectionSettings $settings,
        protected readonly string $namespace = 'larder',
        protected readonly Codec $codec = new PhpCodec(),
        protected readonly int $database = 0,
        protected readonly ServerRole $role = ServerRole::Single,
    ) {
        NamespaceName::check($namespace);
        $this->checkClient();
        $this->opener = Pid::own();
        $this->prefix = self::prefix($namespace);
        $this->login = new \SensitiveParameterValue([]);
        $this->longestReply = (int) (self::TIMEOUTS * 1e9 * $settings->readTimeout);
    }

    /** What the names of a namespace begin with in the server. */
    public static function prefix(string $namespace): string
    {
        return self::PREFIX . $namespace . ':';
    }

    /**
     * @throws StoreUnavailable|Redirection a redirection when it has not the role that it is used for
     * @throws StoreFailed when a client of the application cannot be used now
     */
    public function reach(): void
    {
        if ($this->process === Pid::own()) {
            return;
        }

        $this->login = new \SensitiveParameterValue($this->settings->credentials->current('redis', $this->settings->endpoint));
        $warnings = [];

        try {
            // PHP tells in warnings what was wrong with a name or with TLS.
            Quietly::collect($this->reconnect(...), $warnings);
            $this->takeRole();
        } catch (RedisException|PredisException|\TypeError $cause) {
            $this->disconnect();

            // Without the cause: its trace has what the client was given, the password too.
            throw RedisTrouble::of($this->settings, $cause->getMessage(), $warnings);
        }
        $this->process = Pid::own();
        $this->used = $this->connected = hrtime(true);
    }

    /**
     * Does it with what is on its way to this server: its slot is still another one's.
     *
     * @template T
     * @param \Closure(): T $work of one key
     * @return T
     */
    public function asking(\Closure $work): mixed
    {
        $this->isAsking = true;

        try {
            return $work();
        } finally {
            $this->isAsking = false;
        }
    }

    public function get(string $key, mixed $default = null): mixed
    {
        // Every value is read here: with each call that is spared, as of ready() and Key::check(), a get takes a hundredth less.
        if ($key === '' || \strlen($key) > Key::MAX_LENGTH) {
            Key::check($key);
        }

        try {
            $start = \hrtime(true);
            if ($this->isAsking || $start - $this->used >= self::IDLE || $this->process !== Pid::own()) {
                $start = $this->ready();
            }
            $bytes = $this->read($this->prefix . $key);
            $this->used = \hrtime(true);
            if ($this->used - $start > $this->longestReply) {
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
        $stored = $names === [] ? [] : $this->asks(fn(): array => $this->role->hasSlots() ? $this->commands(array_map(static fn(string $name): array => ['GET', $name], $names)) : $this->readMany($names)) ?? [];
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
        if ($key === '' || \strlen($key) > Key::MAX_LENGTH) {
            Key::check($key);
        }
        $bytes = $this->codec->encode($value, $key);
        $milliseconds = $ttl === 0 ? 0 : self::milliseconds($ttl);

        try {
            $now = \hrtime(true);
            if ($this->isAsking || $now - $this->used >= self::IDLE || $this->process !== Pid::own()) {
                $this->ready();
            } else {
                $this->used = $now;
            }
            if ($this->write($this->prefix . $key, $bytes, $milliseconds)) {
                return true;
            }
        } catch (\Throwable $error) {
            $this->abandon($error);
        }
        // A server hangs up on what is too large as one that goes away does: only the next command tells which it was.
        $this->closeConnection();
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
        $this->closeConnection(); // as in set()
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

    public function deleteMany(array $keys): bool
    {
        $names = array_map($this->name(...), $keys);
        foreach (array_chunk($names, self::NAMES_AT_ONCE) as $some) {
            if ($this->asks(fn(): bool => $this->removeMany($some)) !== true) {
                return false;
            }
        }

        return true;
    }

    public function clear(): bool
    {
        return $this->asks(function (): bool {
            foreach ($this->names($this->prefix . '*') as $names) {
                $this->removeMany($names);
            }

            return $this->answers();
        }, isOneAnswer: false) ?? false;
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->writeIf($key, $value, $ttl, isThere: false);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->writeIf($key, $value, $ttl, isThere: true);
    }

    /** By SET with NX and PX: the server ends it, by its own clock. What is no lock, or not signed, is in nobody's way. */
    public function acquire(string $key, float $seconds, LockLifetime $ends = LockLifetime::TtlOrProcess, string $token = ''): string|false|null
    {
        $state = LockState::begin($seconds, $ends, false, $token);
        $name = ReservedKey::lock($key);
        for ($try = 0; $try < self::LOCK_TRIES; ++$try) {
            if ($this->add($name, (string) $state, $seconds)) {
                return $state->token;
            }
            $there = (string) $this->asks(fn(): ?string => $this->read($this->name($name)));
            if ($there !== '' && LockState::of($this->codec->decode($there, $name)) !== null) {
                return null;
            }
            $this->asks(fn(): mixed => $this->script(self::REMOVE, [$this->name($name)], $there));
        } // it fell between the two, or the server refuses

        return $this->has($name) ? null : false;
    }

    /**
     * By the server, for which an integer is what it is for every codec: its digits. What is no integer for it, as one that
     * is signed, is left to a comparison, which finds out.
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $name = $this->name($key);
        $milliseconds = $ttl === 0 ? 0 : self::milliseconds($ttl);
        $sum = (string) ($first + $step); // of a float, where it is out of the range of int
        if ($this->codec->encode((int) $sum, $key) !== $sum) {
            return $this->incrementBySwapping($key, $step, $first, $ttl);
        }
        $counted = $first === 0 && $milliseconds === 0
            ? $this->asks(fn(): mixed => $this->command('INCRBY', $name, (string) $step))
            : $this->asks(fn(): mixed => $this->script(self::COUNT, [$name], (string) $step, $sum, (string) $milliseconds));

        return \is_int($counted) || \is_string($counted) ? (int) $counted : $this->incrementBySwapping($key, $step, $first, $ttl);
    }

    /** A token is what the server's scripts can make of the bytes. */
    public function getWithToken(string $key): ?array
    {
        $name = $this->name($key);
        $bytes = $this->asks(fn(): ?string => $this->read($name));
        $value = $bytes === null ? $this : $this->codec->decode($bytes, $key, $this);

        return $bytes === null || $value === $this ? null : [$value, sha1($bytes)];
    }

    public function setIfToken(string $key, string $token, mixed $value, int|float $ttl = 0): bool
    {
        $name = $this->name($key);
        $bytes = $this->pack($key, $value);
        $milliseconds = self::milliseconds($ttl);

        return $this->asks(fn(): mixed => $this->script(self::SWAP_TOKEN, [$name], $token, $bytes, (string) $milliseconds)) === 1;
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $name = $this->name($key);
        $milliseconds = self::milliseconds($ttl);

        return $this->asks(fn(): bool => $milliseconds > 0
            ? $this->command('PEXPIRE', $name, (string) $milliseconds) === 1
            : $this->command('PERSIST', $name) === 1 || $this->exists($name)) ?? false;
    }

    public function entries(array $keys): array
    {
        $names = array_map($this->name(...), $keys);
        $now = microtime(true);
        $stored = $names === [] ? [] : $this->asks(fn(): mixed => $this->role->hasSlots()
            ? array_merge(...array_map(static fn(mixed $one): array => \is_array($one) && $one !== [] ? $one : [null, null], $this->commands(array_map(static fn(string $name): array => ['EVAL', self::READ, '1', $name], $names))))
            : $this->script(self::READ, $names));
        $entries = [];
        foreach ($keys as $i => $key) {
            [$bytes, $live] = \is_array($stored) ? [$stored[2 * $i] ?? null, $stored[2 * $i + 1] ?? null] : [null, null];
            $value = \is_string($bytes) ? $this->codec->decode($bytes, $key, $this) : $this;
            if ($value !== $this) {
                $entries[$key] = new Entry($value, \is_int($live) && $live >= 0 ? $now + $live / 1000 : 0.0);
            }
        }

        return $entries;
    }

    public function keys(): iterable
    {
        $seen = []; // SCAN may give a name twice

        try {
            $this->ready();
            foreach ($this->names($this->prefix . '*') as $names) {
                foreach ($names as $name) {
                    if (!isset($seen[$name])) {
                        $seen[$name] = true;
                        yield substr($name, \strlen($this->prefix));
                    }
                }
            }
        } catch (\Throwable $error) {
            $this->refused($error);
        }
    }

    abstract protected function checkClient(): void;

    /** Opens a connection, logged in and with the database chosen. */
    abstract protected function connect(bool $persistent): void;

    /** @return array{}|array{string}|array{string, string} the password, or user and password, which may be empty */
    protected function login(): array
    {
        /** @var array{string, string} $login */
        $login = $this->login->getValue();
        [$user, $password] = $login;

        return match (true) {
            $user !== '' => [$user, $password],
            $password !== '' => [$password],
            default => [],
        };
    }

    /**
     * Tells the connections that are kept open, and are all alike, from those of the program. Whoever is given one logs in
     * again, so a password that rotates makes no new ones.
     */
    protected function connectionName(): string
    {
        $login = $this->login();

        return 'larder-' . hash('sha256', serialize([\count($login), \count($login) === 2 ? $login[0] : '', $this->database, $this->settings->tls?->identity()]));
    }

    /** Closes it for good, even a persistent one. Throws nothing. */
    abstract protected function disconnect(): void;

    /** Whether the client has not closed it by itself. */
    abstract protected function isConnected(): bool;

    abstract protected function answers(): bool;

    abstract protected function command(string $command, string ...$arguments): mixed;

    /**
     * Sends several at once.
     *
     * @param non-empty-list<non-empty-list<string>> $commands
     * @return list<mixed> their answers
     */
    abstract protected function commands(array $commands): array;

    abstract protected function read(string $name): ?string;

    /**
     * @param non-empty-list<string> $names
     * @return array<int, mixed> in their order, strings where found
     */
    abstract protected function readMany(array $names): array;

    abstract protected function exists(string $name): bool;

    /** @param int $milliseconds the ttl, 0 for no expiry */
    abstract protected function write(string $name, string $bytes, int $milliseconds): bool;

    /** @param array<string, string> $values */
    abstract protected function writeMany(array $values, int $milliseconds): bool;

    /** @param non-empty-list<string> $names */
    abstract protected function remove(array $names): bool;

    /** @return iterable<non-empty-list<string>> some names at a time */
    abstract protected function names(string $pattern): iterable;

    /** @param non-empty-list<string> $names */
    private function removeMany(array $names): bool
    {
        return $this->role->hasSlots()
            ? !\in_array(false, $this->commands(array_map(static fn(string $name): array => ['UNLINK', $name], $names)), true)
            : $this->remove($names);
    }

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
     */
    private function asks(\Closure $work, bool $isOneAnswer = true): mixed
    {
        try {
            $start = $this->ready();
            $answer = $work();
            if ($isOneAnswer && hrtime(true) - $start > $this->longestReply) {
                throw $this->late();
            }

            return $answer;
        } catch (\Throwable $error) {
            $this->refused($error);

            return null;
        }
    }

    /** @throws Redirection when it has not the role that it is used for */
    private function takeRole(): void
    {
        if ($this->role === ServerRole::ClusterReplica) {
            $this->command('READONLY');
        } elseif ($this->role === ServerRole::Master) {
            $answer = $this->command('ROLE');
            $role = \is_array($answer) && \is_string($answer[0] ?? null) ? $answer[0] : 'unknown';
            if ($role !== 'master') {
                $this->disconnect();

                throw Redirection::noMaster($role);
            }
        }
    }

    /**
     * By its hash; whole where the server does not know it, or refuses, or is asked for this command only.
     *
     * @param non-empty-list<string> $names
     */
    private function script(string $script, array $names, string ...$arguments): mixed
    {
        $rest = [(string) \count($names), ...$names, ...$arguments];
        if ($this->isAsking) {
            return $this->command('EVAL', $script, ...$rest);
        }
        $this->hashes[$script] ??= sha1($script);
        $answer = $this->command('EVALSHA', $this->hashes[$script], ...$rest);

        return $answer === false ? $this->command('EVAL', $script, ...$rest) : $answer;
    }

    private function reconnect(): void
    {
        // In a fork no persistent connection: it would be the parent's.
        if ($this->settings->persistent && $this->opener === Pid::own()) {
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
     * Connects, unless it is connected. An idle connection is tested first, because clients must neither send a command
     * twice nor reconnect by themselves.
     *
     * @return int nanoseconds: when it was ready
     */
    protected function ready(): int
    {
        $now = hrtime(true);
        if ($this->process === Pid::own() && ($now - $this->used < self::IDLE || $this->stands())) {
            if ($this->isAsking) {
                $this->command('ASKING');
            }

            return $this->used = $now;
        }

        try {
            $this->reach();
        } catch (StoreUnavailable $none) {
            $reason = \sprintf('%s. %s', $none->what, $none->how);

            throw RedisTrouble::isRefusal($none->what) ? StoreFailed::refused('redis', $reason) : StoreFailed::because('redis', $reason, $none);
        }
        if ($this->isAsking) {
            $this->command('ASKING');
        }

        return $this->used;
    }

    /** Whether the connection is of use; it is closed if not. */
    private function stands(): bool
    {
        try {
            if ($this->answers()) {
                return true;
            }
            $this->closeConnection();
        } catch (\Throwable $error) {
            $this->abandon($error);
        }

        return false;
    }

    /**
     * Throws, unless the server answered and refused.
     *
     * @param bool $isRead of one value: a user who may not read has no use of the cache, and is told so
     */
    private function refused(\Throwable $error, bool $isRead = false): void
    {
        $this->abandon($error);
        if ($isRead && str_starts_with($error->getMessage(), 'NOPERM ')) {
            throw StoreFailed::refused('redis', \sprintf('%s: %s', $this->settings->endpoint, $error->getMessage()));
        }
        if (preg_match(self::REFUSAL, $error->getMessage()) !== 1) {
            $what = \sprintf('no proper answer from %s (%s)', $this->settings->endpoint, $error->getMessage());

            throw $this->stoodUntilNow() && $this->isReachable() ? StoreFailed::over('redis', $what, $error) : StoreFailed::because('redis', $what, $error);
        }
    }

    /**
     * Whether the connection that has just failed had served for a while, and did not time out. Only of a server that was found:
     * many processes may lose their connections to it at once, and a pause for all would come on top.
     */
    private function stoodUntilNow(): bool
    {
        $now = hrtime(true);

        return $this->role->isFound() && $now - $this->connected() >= self::IDLE && $now - $this->used < 1e9 * $this->settings->readTimeout;
    }

    private function isReachable(): bool
    {
        try {
            $this->reach();

            return true;
        } catch (StoreUnavailable|Redirection) {
            return false;
        }
    }

    protected function connected(): int
    {
        return $this->connected;
    }

    /** After the client has closed it by itself. */
    protected function forgetConnection(): void
    {
        $this->process = 0;
    }

    /** Whatever was thrown, by a signal's handler too: an answer may still be on its way, so the connection is closed. */
    private function abandon(\Throwable $error): void
    {
        $redirection = $this->role->isFound() ? Redirection::of($error->getMessage()) : null;
        if ($redirection !== null) {
            if (!$this->isConnected()) { // it was a whole answer, so the connection is of use
                $this->forgetConnection();
            }

            throw $redirection;
        }
        $this->closeConnection();
        if (!$error instanceof RedisException && !$error instanceof PredisException && !$error instanceof \TypeError) {
            throw $error;
        }
    }

    private function late(): StoreFailed
    {
        return StoreFailed::because('redis', \sprintf('an answer from %s took longer than %g seconds', $this->settings->endpoint, self::TIMEOUTS * $this->settings->readTimeout));
    }

    protected function closeConnection(): void
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

    private function writeIf(string $key, mixed $value, int|float $ttl, bool $isThere): bool
    {
        $bytes = $this->pack($key, $value);
        $milliseconds = self::milliseconds($ttl);
        $arguments = [$this->name($key), $bytes, $isThere ? 'XX' : 'NX', ...($milliseconds > 0 ? ['PX', (string) $milliseconds] : [])];

        if (!\in_array($this->asks(fn(): mixed => $this->command('SET', ...$arguments)), [true, 'OK'], true)) { // clients differ
            return false;
        }
        if (!$isThere && \strlen($bytes) <= self::ADDED_BYTES) {
            $this->added = [...\array_slice($this->added, 1 - self::ADDED), $this->prefix . $key => $bytes];
        }

        return true;
    }

    /**
     * Reads, and writes by a script that compares what is there with what was read. When another was first, all begins
     * again; others have gone on then. What this object has added itself is not read, but expected to be there still.
     *
     * @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change
     */
    private function change(string $key, \Closure $change): bool
    {
        $name = $this->name($key);
        $expected = $this->added[$name] ?? null;
        unset($this->added[$name]);
        for ($try = 0; $try < self::TRIES; ++$try, $expected = null) {
            $old = $expected ?? $this->asks(fn(): string => (string) $this->read($name));
            $new = $old === null ? false : $change($old === '' ? null : new Entry($old, null));
            if ($new === false && $expected !== null) {
                continue;
            }
            if ($new === false) {
                return false;
            }
            $live = match (true) {
                $new === null || $new->until === null => 'keep',
                $new->until === 0.0 => '0',
                default => (string) max(1, (int) ceil(1000 * ($new->until - microtime(true)))),
            };
            $swapped = $this->asks(fn(): mixed => $this->script(self::SWAP, [$name], $old, $new === null ? '' : $new->stored, $live));
            if ($swapped !== 0) {
                return $swapped === 1;
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }
}
