<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Timing\Statistics;

/** The figure of one store for one value and one operation: the median of the rounds. */
final class Row
{
    /**
     * @param float|null $median nanoseconds of one operation; null when the store failed, and then low and high are too
     * @param int $rounds how many gave a figure
     * @param list<float> $figures nanoseconds, by round; none when the store failed
     */
    private function __construct(
        public readonly Target $target,
        public readonly Value $value,
        public readonly Operation $operation,
        public readonly ?float $median,
        public readonly ?float $low,
        public readonly ?float $high,
        public readonly int $rounds,
        public readonly array $figures,
        public readonly int $failures,
        public readonly string $problem,
    ) {}

    /** @param list<Measurement> $measurements one a round */
    public static function of(Target $target, Value $value, Operation $operation, array $measurements): self
    {
        $figures = [];
        $failures = 0;
        $problem = '';
        foreach ($measurements as $measurement) {
            $failures += $measurement->failures;
            $problem = $problem === '' ? $measurement->problem : $problem;
            if ($measurement->nanoseconds !== null) {
                $figures[] = $measurement->nanoseconds;
            }
        }
        // A store that failed once has no figure at all: how fast it was while it worked says nothing.
        $counts = $failures === 0 && $figures !== [];

        return new self(
            $target,
            $value,
            $operation,
            $counts ? Statistics::median($figures) : null,
            $counts ? min($figures) : null,
            $counts ? max($figures) : null,
            \count($figures),
            $counts ? $figures : [],
            $failures,
            $problem,
        );
    }
}
