<?php

declare(strict_types=1);

namespace Larder\Driver\Common;

/** The form of values in places that keep plain data as it is, and the rest as the bytes of a codec. */
trait PacksPlainData
{
    /**
     * Objects and references would change with the caller's, or are not constant.
     *
     * @return array{bool, mixed} whether it is bytes of the codec; and them, or the value
     */
    private function pack(string $key, mixed $value): array
    {
        $plain = PlainData::of($value);

        return $plain !== null ? [false, $plain->value] : [true, $this->codec->encode($value, $key)];
    }

    /** @param array{bool, mixed} $stored */
    private function unpack(string $key, mixed $stored, mixed $default = null): mixed
    {
        return $stored[0] && \is_string($stored[1]) ? $this->codec->decode($stored[1], $key, $default) : $stored[1];
    }
}
