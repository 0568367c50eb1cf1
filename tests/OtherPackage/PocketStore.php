<?php

declare(strict_types=1);

namespace Larder\ProjectTests\OtherPackage;

use Larder\Contract\Store;
use Larder\Key\Key;
use Larder\Key\Ttl;

/** All values in one file, which is locked for each call. */
final class PocketStore implements Store
{
    public function __construct(private readonly string $file) {}

    public function get(string $key, mixed $default = null): mixed
    {
        Key::check($key);
        [$value, $until] = $this->change(static fn(array $entries): array => $entries)[$key] ?? [$default, 0.0];

        return $until !== 0.0 && $until < microtime(true) ? $default : $value;
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
        array_map(static fn(int|string $key): null => Key::check((string) $key), array_keys($values));
        $until = Ttl::until($ttl);
        $this->change(static fn(array $entries): array => array_map(static fn(mixed $value): array => [$value, $until], $values) + $entries);

        return true;
    }

    public function delete(string $key): bool
    {
        Key::check($key);
        $this->change(static fn(array $entries): array => array_diff_key($entries, [$key => true]));

        return true;
    }

    public function clear(): bool
    {
        $this->change(static fn(): array => []);

        return true;
    }

    /**
     * @param \Closure(array<array-key, array{mixed, float}>): array<array-key, array{mixed, float}> $change
     * @return array<array-key, array{mixed, float}>
     */
    private function change(\Closure $change): array
    {
        $file = fopen($this->file, 'c+');
        if ($file === false) {
            throw new \RuntimeException($this->file . ' cannot be opened');
        }
        flock($file, \LOCK_EX);
        /** @var array<array-key, array{mixed, float}>|false $entries */
        $entries = @unserialize((string) stream_get_contents($file));
        $entries = $change($entries === false ? [] : $entries);
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, serialize($entries));
        fclose($file);

        return $entries;
    }
}
