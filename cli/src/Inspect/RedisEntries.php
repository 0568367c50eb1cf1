<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Codec\Codec;
use Larder\Exception\StoreFailed;
use Larder\Internal\Driver\Redis\RedisConnection;

/** One database of a Redis or Valkey server. Values that are no strings, such as hashes, are listed, and never read. */
final class RedisEntries implements ServerEntries
{
    /** ARGV: names. Returns for each its bytes, its milliseconds to live, and its type. */
    private const LOOK = <<<'LUA'
        local found = {}
        for i, name in ipairs(ARGV) do
            local size = redis.pcall('MEMORY', 'USAGE', name)
            if type(size) ~= 'number' then
                size = redis.pcall('STRLEN', name)
                size = type(size) == 'number' and size or 0
            end
            found[3 * i - 2] = size
            found[3 * i - 1] = redis.call('PTTL', name)
            found[3 * i] = redis.call('TYPE', name).ok
        end
        return found
        LUA;

    /** Names of one request for values: one value may have 512 MB. */
    private const VALUES = 100;

    /** @param Codec|null $codec of serialized values; null if they are strings */
    public function __construct(private readonly RedisConnection $connection, private readonly ?Codec $codec) {}

    public function entries(): iterable
    {
        $seen = [];
        foreach ($this->connection->names('') as $names) {
            $found = $this->connection->script(self::LOOK, $names[0], ...$names);
            if (!\is_array($found)) {
                throw StoreFailed::because('redis', 'the server refuses to tell sizes (EVAL, PTTL, TYPE, MEMORY USAGE)');
            }
            foreach ($names as $i => $name) {
                [$size, $live, $kind] = \array_slice($found, 3 * $i, 3) + [0, -2, ''];
                if (\is_int($size) && \is_int($live) && $live !== -2 && !isset($seen[$name])) { // -2: it is gone
                    $seen[$name] = true;
                    yield [
                        'name' => $name,
                        'size' => $size,
                        'ttl' => $live < 0 ? 0.0 : max(1, $live) / 1000,
                        'used' => null,
                        'kind' => \is_string($kind) ? $kind : '',
                    ];
                }
            }
        }
    }

    public function values(array $names): iterable
    {
        foreach (array_chunk($names, self::VALUES) as $some) {
            foreach ($this->strings($some) as $name => [$bytes, $live]) {
                $value = $this->decoded($bytes, (string) $name);
                if ($value !== $this) {
                    yield (string) $name => [$value, $live < 0 ? 0.0 : max(1, $live) / 1000];
                }
            }
        }
    }

    public function delete(array $names): int
    {
        $deleted = 0;
        foreach (array_chunk($names, self::VALUES) as $some) {
            $count = $this->connection->command('UNLINK', ...$some);
            $deleted += \is_int($count) ? $count : throw StoreFailed::because('redis', 'the server refuses to delete (UNLINK)');
        }

        return $deleted;
    }

    public function figures(): array
    {
        $info = $this->connection->command('INFO');
        preg_match_all('/^(\w+):(.*?)\r?$/m', \is_string($info) ? $info : '', $lines);
        $info = array_combine($lines[1], $lines[2]);
        if (!isset($info['keyspace_hits'])) {
            throw StoreFailed::because('redis', 'the server does not tell how it is (INFO)');
        }
        $size = $this->connection->command('DBSIZE');

        return [
            'version' => isset($info['valkey_version'])
                ? 'Valkey ' . $info['valkey_version'] : 'Redis ' . ($info['redis_version'] ?? ''),
            'hits' => (int) $info['keyspace_hits'],
            'misses' => (int) ($info['keyspace_misses'] ?? 0),
            'stores' => null,
            'evicted' => (int) ($info['evicted_keys'] ?? 0),
            'entries' => \is_int($size) ? $size : 0,
            'bytes' => (int) ($info['used_memory'] ?? 0),
            'limit' => (int) ($info['maxmemory'] ?? 0),
        ];
    }

    /**
     * @param non-empty-list<string> $names
     * @return array<array-key, array{string, int}> as RedisConnection::entries(), which returns none if one is no string
     */
    private function strings(array $names): array
    {
        $found = $this->connection->entries($names);
        foreach ($found === [] && \count($names) > 1 ? $names : [] as $name) {
            $found += $this->connection->entries([$name]);
        }

        return $found;
    }

    /** @return mixed $this if it cannot be read */
    private function decoded(string $bytes, string $name): mixed
    {
        if ($this->codec === null || $bytes === '') {
            return $bytes;
        }

        return str_starts_with($bytes, Igbinary::MARK)
            ? Igbinary::decoded($bytes, $this)
            : $this->codec->decode($bytes, $name, $this);
    }
}
