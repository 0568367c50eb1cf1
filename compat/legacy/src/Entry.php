<?php

declare(strict_types=1);

namespace Larder\Legacy;

/** What the engine tells of an entry, in the terms of the older caches. */
final readonly class Entry
{
    /**
     * @param string $key without the prefix of its family
     * @param int $size bytes of memory
     * @param int $hits 1 if it was fetched since it was stored: the engine does not count
     * @param int $stored Unix time
     * @param int $ttl seconds from then to its expiry, 0 for none
     * @param float $expires Unix time, 0.0 for never
     */
    private function __construct(public string $key, public int $size, public int $hits, public int $stored, public int $ttl, public float $expires) {}

    /** Null if there is none. The key may be any. */
    public static function of(string $prefix, string $key): ?self
    {
        $info = Key::isValid($prefix, $key) ? larder_key_info($prefix . $key) : null;

        return $info === null ? null : self::from($info, $key);
    }

    /**
     * Those whose keys begin with the prefix, in no particular order. Others may store and delete meanwhile.
     *
     * @param string $start what the keys have after the prefix, and keep
     * @return \Generator<int, self>
     */
    public static function all(string $prefix, string $start = ''): \Generator
    {
        foreach (new \LarderIterator($prefix . $start) as $name => $info) {
            yield self::from($info, substr($name, \strlen($prefix)));
        }
    }

    /** @param mixed[] $info of larder_key_info() */
    private static function from(array $info, string $key): self
    {
        ['ttl' => $rest, 'age' => $age, 'size' => $size, 'used' => $isUsed] = $info;
        \assert(\is_float($rest) && \is_int($age) && \is_int($size));
        $now = microtime(true);

        return new self($key, $size, (int) ($isUsed === true), (int) $now - $age, $rest === 0.0 ? 0 : $age + (int) ceil($rest), $rest === 0.0 ? 0.0 : $now + $rest);
    }
}
