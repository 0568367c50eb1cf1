<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

/** Returns arrays instead of objects, as a store with JSON may. */
final class ArrayMakingStore extends OverFiles
{
    public function get(string $key, mixed $default = null): mixed
    {
        return json_decode((string) json_encode(parent::get($key, $default)), true);
    }
}
