<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;

/**
 * Keeps values in this object, for this request: what a later get sees is what was set, whatever the caller has done
 * with its objects since. Nothing is evicted; what has expired goes when it is asked for or written over.
 */
final class ArrayStore implements Store
{
    use OneByOne;

    /** @var array<array-key, array{bool, mixed, float}> encoded?, value, unix time of expiry (0.0 for never) */
    private array $entries = [];

    public function __construct(private readonly Codec $codec = new PhpCodec()) {}

    public function get(string $key, mixed $default = null): mixed
    {
        $entry = $this->entry($key);
        if ($entry === null) {
            return $default;
        }

        return $entry[0] && \is_string($entry[1]) ? $this->codec->decode($entry[1], $default) : $entry[1];
    }

    public function has(string $key): bool
    {
        return $this->entry($key) !== null;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $until = Ttl::until($ttl);
        // Objects and references would change with the caller's: these are kept as bytes, the rest as it is.
        $plain = PlainData::of($value);
        $this->entries[$key] = $plain !== null ? [false, $plain->value, $until] : [true, $this->codec->encode($value), $until];

        return true;
    }

    public function delete(string $key): bool
    {
        Key::check($key);
        unset($this->entries[$key]);

        return true;
    }

    public function clear(): bool
    {
        $this->entries = [];

        return true;
    }

    /** @return array{bool, mixed, float}|null */
    private function entry(string $key): ?array
    {
        Key::check($key);
        $entry = $this->entries[$key] ?? null;
        if ($entry !== null && $entry[2] !== 0.0 && $entry[2] <= microtime(true)) {
            unset($this->entries[$key]);

            return null;
        }

        return $entry;
    }
}
