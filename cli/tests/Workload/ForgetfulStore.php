<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Loses every hundredth value that is asked for. */
final class ForgetfulStore extends OverFiles
{
    public function get(string $key, mixed $default = null): mixed
    {
        $value = parent::get($key, $default);

        return $this->reads % 100 === 99 ? $default : $value;
    }
}
