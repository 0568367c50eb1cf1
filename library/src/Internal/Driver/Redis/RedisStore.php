<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Codec\Codec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\NamesServer;
use Larder\Contract\ReadsReplicas;
use Larder\Contract\RemoteStore;
use Larder\Contract\TokenStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Exception\StoreFailed;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Key\ReservedKey;
use Larder\Internal\Lock\LockState;
use Larder\Internal\Process\Functions;
use Larder\Internal\Remember\Placeholder;
use Larder\Internal\Remember\StoredValue;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * Values on Redis and Valkey servers, through any connection. Names are "larder-cache:namespace:key". clear() looks for
 * names with this prefix (SCAN) and unlinks them without blocking the server, so it touches no other program's keys.
 */
final class RedisStore implements
    RemoteStore,
    AtomicStore,
    TokenStore,
    LockingStore,
    ListableStore,
    ExpiryAwareStore,
    ReadsReplicas,
    NamesServer
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically {
        increment as private incrementBySwapping;
    }
    /** @use LocksByChanging<string> */
    use LocksByChanging;

    /** Of one command, because many names would block the server. */
    private const NAMES_AT_ONCE = 1000;
    /** Bytes of keys that need no check. */
    private const SHORT_KEY = 250;
    private const TRIES = 1000;
    private const LOCK_TRIES = 3;

    /**
     * ARGV: SHA-1 of the expected bytes, "" if they are empty or none; bytes to store, "" to delete; milliseconds to
     * live, or "keep".
     */
    private const SWAP = <<<'LUA'
        local there = redis.call('GET', KEYS[1])
        if ((there or '') ~= '' and redis.sha1hex(there) or '') ~= ARGV[1] then return 0 end
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

    /**
     * ARGV: the step; the sum if nothing is there, and its milliseconds to live. Returns the sum as a string: Lua has
     * no such integers.
     */
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

    /** ARGV: bytes that are no lock, "" for a value that is no string. Returns 1 if they are gone. */
    private const REMOVE = <<<'LUA'
        local there = redis.pcall('GET', KEYS[1])
        local isOther = type(there) == 'table' and string.find(there.err, 'WRONGTYPE', 1, true)
        if isOther or there == ARGV[1] then return redis.call('DEL', KEYS[1]) end
        return 0
        LUA;

    /** Number of recently added or swapped values to remember, and their longest length in bytes. */
    private const ADDED = 8;
    private const ADDED_BYTES = 1024;

    /**
     * @var array<string, string> bytes by name: recently added or swapped values, such as locks and placeholders, are
     *         changed soon, which then needs no read
     */
    private array $added = [];
    private readonly string $prefix;

    public function __construct(
        private readonly RedisConnection $connection,
        string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
    ) {
        NamespaceName::check($namespace);
        $this->prefix = NamespaceName::prefix($namespace);
    }

    public function reach(): void
    {
        $this->connection->reach($this->prefix);
    }

    public function hasStaleReads(): bool
    {
        return $this->connection instanceof ReadsReplicas && $this->connection->hasStaleReads();
    }

    public function fromMasters(\Closure $calls): mixed
    {
        return $this->connection instanceof ReadsReplicas ? $this->connection->fromMasters($calls) : $calls();
    }

    public function server(): ?string
    {
        return $this->connection instanceof NamesServer ? $this->connection->server() : null;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        // Every value is read here: each avoided call, such as that of name(), saves a hundredth of a get.
        if ($key === '' || isset($key[self::SHORT_KEY])) {
            Key::check($key);
        }
        $bytes = $this->connection->get($this->prefix . $key);

        return $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $names = array_map($this->name(...), $keys);
        $stored = $names === [] ? [] : $this->connection->getMany($names);
        $values = [];
        foreach ($keys as $i => $key) {
            $bytes = $stored[$names[$i]] ?? null;
            $values[$key] = $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return $this->connection->has($this->name($key));
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $name = $this->name($key);
        $bytes = $this->codec->encode($value, $key);
        $milliseconds = $ttl === 0 ? 0 : self::milliseconds($ttl);

        try {
            if ($this->connection->set($name, $bytes, $milliseconds)) {
                return true;
            }
        } catch (StoreFailed $refusal) {
            return $this->drop([$name], $refusal);
        }

        return $this->drop([$name]);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $milliseconds = self::milliseconds($ttl);
        $keys = Key::of($values);
        if ($keys === []) {
            return true;
        }
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);
        $names = array_map(fn(string $key): string => $this->prefix . $key, $keys);

        try {
            $failed = $this->connection->setMany(array_combine($names, $encoded), $milliseconds);
        } catch (StoreFailed $refusal) {
            return $this->drop($names, $refusal);
        }

        return $failed === [] ? true : $this->drop($failed);
    }

    public function delete(string $key): bool
    {
        return $this->connection->remove([$this->name($key)]);
    }

    public function deleteMany(array $keys): bool
    {
        $names = array_map($this->name(...), $keys);
        foreach (array_chunk($names, self::NAMES_AT_ONCE) as $some) {
            if (!$this->connection->remove($some)) {
                return false;
            }
        }

        return true;
    }

    public function clear(): bool
    {
        return $this->connection->clear($this->prefix);
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->writeIf($key, $value, $ttl, isThere: false);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->writeIf($key, $value, $ttl, isThere: true);
    }

    /**
     * SET with NX and PX: the lock ends by the server's clock. A value that is not a lock, or is not signed, does not
     * block anyone.
     */
    public function acquire(
        string $key,
        float $seconds,
        LockLifetime $ends = LockLifetime::TtlOrProcess,
        string $token = '',
    ): string|false|null {
        $state = LockState::begin($seconds, $ends, false, $token);
        $lock = ReservedKey::lock($key);
        $name = $this->name($lock);
        for ($try = 0; $try < self::LOCK_TRIES; ++$try) {
            if ($this->add($lock, (string) $state, $seconds)) {
                return $state->token;
            }
            $there = (string) $this->read($name);
            if ($there !== '' && LockState::of($this->codec->decode($there, $lock)) !== null) {
                return null;
            }
            $this->connection->script(self::REMOVE, $name, $there);
        } // it ended between the two, or the server refuses

        return $this->has($lock) ? null : false;
    }

    /**
     * The server counts, because an integer is its digits in the server and in every codec. A value that is no integer
     * for the server, such as a signed one, is compared and swapped.
     */
    public function increment(string $key, int $step = 1, int $first = 0, int|float $ttl = 0): int|false
    {
        $name = $this->name($key);
        $milliseconds = $ttl === 0 ? 0 : self::milliseconds($ttl);
        $sum = (string) ($first + $step); // a float's digits, if it is out of the range of int
        if ($this->codec->encode((int) $sum, $key) !== $sum) {
            return $this->incrementBySwapping($key, $step, $first, $ttl);
        }
        $counted = $first === 0 && $milliseconds === 0
            ? $this->connection->command('INCRBY', $name, (string) $step)
            : $this->connection->script(self::COUNT, $name, (string) $step, $sum, (string) $milliseconds);

        return \is_int($counted) || \is_string($counted)
            ? (int) $counted
            : $this->incrementBySwapping($key, $step, $first, $ttl);
    }

    /** A token is a hash that the server's scripts can compute. */
    public function getWithToken(string $key): ?array
    {
        $bytes = $this->read($this->name($key));
        $value = $bytes === null ? $this : $this->codec->decode($bytes, $key, $this);

        return $bytes === null || $value === $this ? null : [$value, sha1($bytes)];
    }

    public function setIfToken(string $key, string $token, mixed $value, int|float $ttl = 0): bool
    {
        $name = $this->name($key);
        $bytes = $this->codec->encode($value, $key);

        return $token !== ''
            && $this->connection->script(self::SWAP, $name, $token, $bytes, (string) self::milliseconds($ttl)) === 1;
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $name = $this->name($key);
        $milliseconds = self::milliseconds($ttl);

        return $milliseconds > 0
            ? $this->connection->command('PEXPIRE', $name, (string) $milliseconds) === 1
            : $this->connection->command('PERSIST', $name) === 1 || $this->connection->command('EXISTS', $name) === 1;
    }

    public function entries(array $keys): array
    {
        $names = array_map($this->name(...), $keys);
        $now = microtime(true);
        $stored = $names === [] ? [] : $this->connection->entries($names);
        $entries = [];
        foreach ($keys as $i => $key) {
            [$bytes, $live] = $stored[$names[$i]] ?? [null, 0];
            $value = $bytes === null ? $this : $this->codec->decode($bytes, $key, $this);
            if ($value !== $this) {
                $entries[$key] = new Entry($value, $live >= 0 ? $now + $live / 1000 : 0.0);
            }
        }

        return $entries;
    }

    /** Without placeholders: of each value, as many bytes are read as a placeholder may have. */
    public function keys(): iterable
    {
        $seen = [];
        foreach ($this->connection->names($this->prefix) as $names) {
            $heads = $this->connection->getMany($names, Placeholder::LONGEST + 1);
            foreach ($names as $name) {
                $key = substr($name, \strlen($this->prefix));
                if (!isset($seen[$name]) && ($this->isValue($heads[$name] ?? '', $key) || ReservedKey::is($key))) {
                    $seen[$name] = true;
                    yield $key;
                }
            }
        }
    }

    private function isValue(string $head, string $key): bool
    {
        return isset($head[Placeholder::LONGEST])
            || StoredValue::found($this->codec->decode($head, $key))?->isNothing() !== true;
    }

    private function name(string $key): string
    {
        if ($key === '' || isset($key[self::SHORT_KEY])) {
            Key::check($key);
        }

        return $this->prefix . $key;
    }

    /** Reads from a master, as the result decides what is written. */
    private function read(string $name): ?string
    {
        $bytes = $this->connection->command('GET', $name);

        return \is_string($bytes) ? $bytes : null;
    }

    /**
     * Deletes values that could not be stored, so that no older value stays.
     *
     * @param non-empty-list<string> $names
     * @param StoreFailed|null $refusal thrown afterwards
     */
    private function drop(array $names, ?StoreFailed $refusal = null): false
    {
        if ($refusal === null || $refusal->isOfRequest) {
            $this->connection->remove($names);
        }

        return $refusal === null ? false : throw $refusal;
    }

    private static function milliseconds(int|float $ttl): int
    {
        return (int) ceil(1000 * Ttl::seconds($ttl));
    }

    private function writeIf(string $key, mixed $value, int|float $ttl, bool $isThere): bool
    {
        $name = $this->name($key);
        $bytes = $this->codec->encode($value, $key);
        $milliseconds = self::milliseconds($ttl);
        $answer = $this->connection->command(
            'SET',
            $name,
            $bytes,
            $isThere ? 'XX' : 'NX',
            ...($milliseconds > 0 ? ['PX', (string) $milliseconds] : []),
        );
        if (!\in_array($answer, [true, 'OK'], true)) {
            return false;
        }
        if (!$isThere) {
            $this->remember($name, $bytes);
        }

        return true;
    }

    /**
     * Reads, and writes by a script that compares the value with the one read. If another process was first, everything
     * starts over. A value that this object has added itself is not read, but expected to be unchanged.
     *
     * @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change
     */
    private function change(string $key, \Closure $change): bool
    {
        $name = $this->name($key);
        $expected = $this->added[$name] ?? null;
        unset($this->added[$name]);
        for ($try = 0; $try < self::TRIES; ++$try, $expected = null) {
            $old = $expected ?? (string) $this->read($name);
            $new = $change($old === '' ? null : new Entry($old, null));
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
            $swapped = $this->connection->script(
                self::SWAP,
                $name,
                $old === '' ? '' : sha1($old),
                $new === null ? '' : $new->stored,
                $live,
            );
            if ($swapped === 1 && $new !== null) {
                $this->remember($name, $new->stored);
            }
            if ($swapped !== 0) {
                return $swapped === 1;
            }
            Functions::sleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    private function remember(string $name, string $bytes): void
    {
        if (\strlen($bytes) <= self::ADDED_BYTES) {
            unset($this->added[$name]);
            $this->added = [...\array_slice($this->added, 1 - self::ADDED), $name => $bytes];
        }
    }

    private function pack(string $key, mixed $value): string
    {
        return $this->codec->encode($value, $key);
    }

    /** @param string $stored */
    private function unpack(string $key, mixed $stored, mixed $default = null): mixed
    {
        return $this->codec->decode($stored, $key, $default);
    }
}
