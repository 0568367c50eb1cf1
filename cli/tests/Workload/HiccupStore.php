<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Takes 20 ms for every fiftieth read. */
final class HiccupStore extends OverFiles
{
    public function get(string $key, mixed $default = null): mixed
    {
        if ($this->reads % 50 === 49) {
            usleep(20_000);
        }

        return parent::get($key, $default);
    }
}
