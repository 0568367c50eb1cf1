<?php

declare(strict_types=1);

namespace Larder\ProjectTests\OtherPackage;

use Larder\Codec\Codec;
use Larder\Contract\Store;
use Larder\Internal\Codec\PhpCodec;
use Larder\Key\Key;
use Larder\Key\Ttl;

/** Keeps all values in one file, which is locked for each call. */
final class PocketStore implements Store
{
    public function __construct(private readonly string $file, private readonly Codec $codec = new PhpCodec()) {}

    public function get(string $key, mixed $default = null): mixed
    {
        Key::check($key);
        [$bytes, $until] = $this->change(static fn(array $entries): array => $entries)[$key] ?? ['', -1.0];

        return $until !== 0.0 && $until < microtime(true) ? $default : $this->codec->decode($bytes, $key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return array_combine($keys, array_map(fn(string $key): mixed => $this->get($key, $default), $keys));
    }

    public function has(string $key): bool
    {
        return $this->get($key, $this) !== $this;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->setMany([$key => $value], $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $keys = Key::of($values);
        $new = array_map(fn(string $key, mixed $value): array => [$this->codec->encode($value, $key), $until], $keys, $values);
        $this->change(static fn(array $entries): array => array_combine($keys, $new) + $entries);

        return true;
    }

    public function delete(string $key): bool
    {
        return $this->deleteMany([$key]);
    }

    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        $this->change(static fn(array $entries): array => array_diff_key($entries, array_flip($keys)));

        return true;
    }

    public function clear(): bool
    {
        $this->change(static fn(): array => []);

        return true;
    }

    /**
     * @param \Closure(array<array-key, array{string, float}>): array<array-key, array{string, float}> $change
     * @return array<array-key, array{string, float}>
     */
    private function change(\Closure $change): array
    {
        $file = fopen($this->file, 'c+');
        if ($file === false) {
            throw new \RuntimeException($this->file . ' cannot be opened');
        }
        flock($file, \LOCK_EX);
        /** @var array<array-key, array{string, float}>|false $entries */
        $entries = @unserialize((string) stream_get_contents($file));
        $entries = $change($entries === false ? [] : $entries);
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, serialize($entries));
        fclose($file);

        return $entries;
    }
}
