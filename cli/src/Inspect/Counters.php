<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/** What all processes have done with the segment since it exists. Reading them takes a microsecond. */
final class Counters
{
    private function __construct(
        /** Seconds of a clock that never steps. */
        public readonly float $time,
        public readonly int $hits,
        public readonly int $misses,
        public readonly int $stores,
        public readonly int $evicted,
    ) {}

    public static function read(): self
    {
        /** @var array{hits: int, misses: int, stores: int, evictions: array{room: int, index: int}} $info */
        $info = larder_info(false);
        $evicted = $info['evictions']['room'] + $info['evictions']['index'];

        return new self(hrtime(true) / 1e9, $info['hits'], $info['misses'], $info['stores'], $evicted);
    }
}
