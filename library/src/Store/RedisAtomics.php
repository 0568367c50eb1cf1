<?php

declare(strict_types=1);

namespace Larder\Store;

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
    use PacksByCodec;

    private const TRIES = 1000;

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

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->writeIf($key, $value, $ttl, isThere: false);
    }

    public function replace(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->writeIf($key, $value, $ttl, isThere: true);
    }

    public function touch(string $key, int|float $ttl): bool
    {
        $name = $this->name($key);
        $milliseconds = self::milliseconds($ttl);

        return $this->asks(fn(): bool => $milliseconds > 0
            ? $this->command('PEXPIRE', $name, (string) $milliseconds) === 1
            : $this->command('PERSIST', $name) === 1 || $this->exists($name)) ?? false;
    }

    public function keys(): iterable
    {
        $seen = []; // SCAN may give a name twice

        try {
            $this->ready();
            foreach ($this->names($this->prefix . '*') as $names) {
                foreach ($names as $name) {
                    $key = substr($name, \strlen($this->prefix));
                    if (!isset($seen[$name])) {
                        yield $key;
                    }
                    $seen[$name] = true;
                }
            }
        } catch (RedisException|PredisException $error) {
            $this->refused($error);
        }
    }

    /** @throws RedisException|PredisException */
    abstract protected function command(string $command, string ...$arguments): mixed;

    private function writeIf(string $key, mixed $value, int|float $ttl, bool $isThere): bool
    {
        $bytes = $this->pack($key, $value);
        $milliseconds = self::milliseconds($ttl);
        $arguments = [$this->name($key), $bytes, $isThere ? 'XX' : 'NX', ...($milliseconds > 0 ? ['PX', (string) $milliseconds] : [])];

        return $this->asks(fn(): bool => self::isOk($this->command('SET', ...$arguments))) ?? false;
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
