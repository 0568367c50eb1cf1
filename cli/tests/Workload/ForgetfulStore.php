<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Misses at every tenth read. */
final class ForgetfulStore extends OverFiles
{
    public function get(string $key, mixed $default = null): mixed
    {
        $value = parent::get($key, $default);

        return $this->reads % 10 === 9 ? $default : $value;
    }
}
