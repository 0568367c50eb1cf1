<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Returns another key's value every tenth time. */
final class SwappingStore extends OverFiles
{
    public function get(string $key, mixed $default = null): mixed
    {
        return parent::get($this->reads % 10 === 9 ? 'safety-1' : $key, $default);
    }
}
