<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Ends the process at the hundredth read. */
final class ExitingStore extends OverFiles
{
    public function get(string $key, mixed $default = null): mixed
    {
        return $this->reads === 99 ? exit(9) : parent::get($key, $default);
    }
}
