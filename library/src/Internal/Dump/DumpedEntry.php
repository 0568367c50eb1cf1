<?php

declare(strict_types=1);

namespace Larder\Internal\Dump;

final class DumpedEntry
{
    /**
     * @param string $name of the entry in the segment
     * @param string $bytes the value if that is a string; else its bytes, by PhpCodec
     * @param float $until unix time at which it expires; 0.0 for never
     * @param float $stale seconds for which it is kept after that
     * @param float $cost seconds that it took to compute; 0.0 for not known
     */
    public function __construct(
        public readonly string $name,
        public readonly string $bytes,
        public readonly bool $isString,
        public readonly float $until,
        public readonly float $stale = 0.0,
        public readonly float $cost = 0.0,
    ) {}
}
