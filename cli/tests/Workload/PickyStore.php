<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Refuses every fifth value, and loses one in four while it reports success. */
final class PickyStore extends OverFiles
{
    private int $writes = 0;

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        ++$this->writes;

        return $this->writes % 5 !== 0 && ($this->writes % 4 === 0 || parent::set($key, $value, $ttl));
    }
}
