<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Does not store every third value, but reports success. */
final class LaggingStore extends OverFiles
{
    private int $writes = 0;

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return ++$this->writes % 3 === 0 || parent::set($key, $value, $ttl);
    }
}
