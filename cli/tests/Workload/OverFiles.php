<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;
use Larder\Internal\Driver\File\FileStore;

/** A store in files that all processes of a test share, in a directory that the environment names. */
abstract class OverFiles implements Store
{
    use LoopedBatch;

    public const DIRECTORY = 'LARDER_TEST_DIRECTORY';

    protected int $reads = 0;
    private readonly FileStore $files;

    public function __construct()
    {
        $directory = getenv(self::DIRECTORY);
        $this->files = new FileStore(\is_string($directory) ? $directory : throw new \LogicException(
            'no ' . self::DIRECTORY,
        ));
    }

    public function get(string $key, mixed $default = null): mixed
    {
        ++$this->reads;

        return $this->files->get($key, $default);
    }

    public function has(string $key): bool
    {
        return $this->files->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->files->set($key, $value, $ttl);
    }

    public function delete(string $key): bool
    {
        return $this->files->delete($key);
    }

    public function clear(): bool
    {
        return $this->files->clear();
    }
}
