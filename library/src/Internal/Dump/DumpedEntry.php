<?php

declare(strict_types=1);

namespace Larder\Internal\Dump;

final class DumpedEntry
{
    /**
     * @param string $name of the entry in the segment
     * @param string $bytes of the value, by PhpCodec
     * @param float $until unix time at which it expires; 0.0 for never
     */
    public function __construct(
        public readonly string $name,
        public readonly string $bytes,
        public readonly float $until,
    ) {}
}
