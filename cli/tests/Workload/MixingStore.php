<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Changes the last byte at every tenth read of a string. */
final class MixingStore extends OverFiles
{
    public function get(string $key, mixed $default = null): mixed
    {
        $value = parent::get($key, $default);

        return $this->reads % 10 === 9 && \is_string($value) ? substr($value, 0, -1) . '?' : $value;
    }
}
