<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

use Larder\Cli\Timing\Histogram;

/** The result of one block for one subject. */
final class Sample
{
    /**
     * @param float|null $figure in the subject's unit; null if the store failed
     * @param int $failures operations with a wrong result; the reason is in $problem
     * @param string $problem empty without failures
     * @param Histogram|null $histogram of single operations, if they were timed one by one
     * @param float|null $drift the figure at the end of the block, divided by the figure at its beginning; null if
     *         unknown
     */
    public function __construct(
        public readonly Subject $subject,
        public readonly ?float $figure,
        public readonly int $failures = 0,
        public readonly string $problem = '',
        public readonly ?Histogram $histogram = null,
        public readonly ?float $drift = null,
    ) {}

    public static function failed(Subject $subject, string $problem, int $failures = 1): self
    {
        return new self($subject, null, $failures, $problem);
    }
}
