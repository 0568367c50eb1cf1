<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Contract\Entry;
use Larder\Contract\LockLifetime;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\PacksByCodec;
use Larder\Key\ReservedKey;
use Larder\Lock\LocksByChanging;
use Larder\Lock\LockState;
use Predis\PredisException;
use RedisException;

/**
 * What a Redis or Valkey server does in one step: SET with NX or XX, PEXPIRE, and for the rest a script that compares
 * the bytes that were read and writes others. When another was first, all begins again; others have gone on then.
 */
trait RedisAtomics
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

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
        $state = LockState::begin($seconds, $ends, $this->seesOwners(), $token);
        $name = ReservedKey::lock($key);
        for ($try = 0; $try < self::LOCK_TRIES; ++$try) {
            if ($this->add($name, (string) $state, $seconds)) {
                return $state->token;
            }
            $there = (string) $this->asks(fn(): ?string => $this->read($this->name($name)));
            if ($there !== '' && LockState::of($this->codec->decode($there, $name)) !== null) {
                return null;
            }
            $this->asks(fn(): mixed => $this->command('EVAL', self::REMOVE, '1', $this->name($name), $there));
        } // it fell between the two, or the server refuses

        return $this->has($name) ? null : false;
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
        $stored = $names === [] ? [] : $this->asks(fn(): mixed => $this->command('EVAL', self::READ, (string) \count($names), ...$names));
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

    /** @throws RedisException|PredisException|\TypeError */
    abstract protected function command(string $command, string ...$arguments): mixed;

    private function writeIf(string $key, mixed $value, int|float $ttl, bool $isThere): bool
    {
        $bytes = $this->pack($key, $value);
        $milliseconds = self::milliseconds($ttl);
        $arguments = [$this->name($key), $bytes, $isThere ? 'XX' : 'NX', ...($milliseconds > 0 ? ['PX', (string) $milliseconds] : [])];

        return $this->asks(fn(): bool => self::isOk($this->command('SET', ...$arguments))) ?? false;
    }

    /** Servers are asked from other machines too. */
    private function seesOwners(): bool
    {
        return false;
    }

    /** @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change */
    private function change(string $key, \Closure $change): bool
    {
        $name = $this->name($key);
        for ($try = 0; $try < self::TRIES; ++$try) {
            $old = $this->asks(fn(): string => (string) $this->read($name));
            $new = $old === null ? false : $change($old === '' ? null : new Entry($old, null));
            if ($new === false) {
                return false;
            }
            $live = match (true) {
                $new === null || $new->until === null => 'keep',
                $new->until === 0.0 => '0',
                default => (string) max(1, (int) ceil(1000 * ($new->until - microtime(true)))),
            };
            $swapped = $this->asks(fn(): mixed => $this->command('EVAL', self::SWAP, '1', $name, $old, $new === null ? '' : $new->stored, $live));
            if ($swapped !== 0) {
                return $swapped === 1;
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    /** Clients give true or the word. */
    private static function isOk(mixed $answer): bool
    {
        return $answer === true || $answer === 'OK';
    }
}
