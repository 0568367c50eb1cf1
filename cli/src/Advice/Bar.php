<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

/** A setup in the chart. */
final class Bar
{
    /**
     * @param Estimate $cost of one request
     * @param float|null $get nanoseconds of one get of Advice::example()
     */
    public function __construct(
        public readonly string $setup,
        public readonly string $title,
        public readonly Estimate $cost,
        public readonly bool $isBest,
        public readonly ?float $get,
    ) {}
}
