<?php

declare(strict_types=1);

namespace Larder\Driver\Common;

/** Packs values for stores that keep the bytes of a codec. */
trait PacksByCodec
{
    private function pack(string $key, mixed $value): string
    {
        return $this->codec->encode($value, $key);
    }

    /** @param string $stored */
    private function unpack(string $key, mixed $stored, mixed $default = null): mixed
    {
        return $this->codec->decode($stored, $key, $default);
    }
}
