<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;

/** Keeps values in the process, and answers reads with the result of lie(). */
abstract class LyingStore implements Store
{
    use LoopedBatch;

    /** @var array<string, mixed> */
    protected array $values = [];

    protected int $reads = 0;
    protected int $writes = 0;

    abstract protected function lie(mixed $value): mixed;

    public function get(string $key, mixed $default = null): mixed
    {
        ++$this->reads;

        return $this->has($key) ? $this->lie($this->values[$key]) : $default;
    }

    public function has(string $key): bool
    {
        return \array_key_exists($key, $this->values);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        ++$this->writes;
        $this->values[$key] = $value;

        return true;
    }

    public function delete(string $key): bool
    {
        unset($this->values[$key]);

        return true;
    }

    public function clear(): bool
    {
        $this->values = [];

        return true;
    }
}
