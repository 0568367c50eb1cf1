<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;

/**
 * Files that are written and read through a handle that stays open, like one of the engines of 2008. Only for
 * measuring: a reader in another process would see half of a value.
 */
final class OneHandleStore implements Store
{
    use LoopedBatch;

    /** @var array<string, resource> by key */
    private array $files = [];

    public function get(string $key, mixed $default = null): mixed
    {
        $file = $this->files[$key] ?? null;
        if ($file === null) {
            return $default;
        }
        rewind($file);

        return unserialize((string) stream_get_contents($file));
    }

    public function has(string $key): bool
    {
        return isset($this->files[$key]);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $file = $this->files[$key] ?? tmpfile();
        if ($file === false) {
            return false;
        }
        $this->files[$key] = $file;
        $bytes = serialize($value);

        return ftruncate($file, 0) && rewind($file) && fwrite($file, $bytes) === \strlen($bytes) && fflush($file);
    }

    public function delete(string $key): bool
    {
        unset($this->files[$key]);

        return true;
    }

    public function clear(): bool
    {
        $this->files = [];

        return true;
    }
}
