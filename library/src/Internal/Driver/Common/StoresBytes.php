<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Common;

/** get() and has() for stores that keep the bytes of a codec. */
trait StoresBytes
{
    public function get(string $key, mixed $default = null): mixed
    {
        $bytes = $this->bytes($key);

        return $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
    }

    public function has(string $key): bool
    {
        return $this->bytes($key) !== null;
    }

    /** @return string|null null for a miss */
    abstract private function bytes(string $key): ?string;
}
