<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Timing\Histogram;

/**
 * A row of a report: the figures of one subject, and the figure that a study published for it. A historic row has only
 * the published figure, because its engine does not exist for current PHP versions.
 *
 * @phpstan-type Fields array{
 *     table: string, store: string, connection: ?string, value: ?string, bytes: ?int, operation: string, unit: string,
 *     settings: array<string, string>, median: ?float, low: ?float, high: ?float, samples: list<float>, failures: int,
 *     problem: string, histogram: ?array{counts: array<int|string, int>, maximum: int},
 *     published: ?array{figure: float, study: string, engine: string, environment: ?string}, notes: list<string>,
 * }
 */
final class Row
{
    /**
     * @param list<float> $samples one a block, in the order measured, in the subject's unit; empty if the store failed
     * @param float|null $median of the samples; null, like low and high, if the store failed or the row is historic
     * @param float|null $low lower end of the 95 % confidence interval of the median; null for too few samples, as in a
     *         quick look
     * @param float|null $high its upper end
     * @param int $failures operations with a wrong result
     * @param string $problem reason of the failure; empty if there was none
     * @param Histogram|null $histogram of single operations, merged over all blocks
     * @param list<string> $notes facts that a reader of this row needs, such as a known artefact
     */
    public function __construct(
        public readonly Subject $subject,
        public readonly array $samples,
        public readonly ?float $median,
        public readonly ?float $low,
        public readonly ?float $high,
        public readonly int $failures = 0,
        public readonly string $problem = '',
        public readonly ?Histogram $histogram = null,
        public readonly ?PublishedFigure $published = null,
        public readonly array $notes = [],
    ) {}

    public function isHistoric(): bool
    {
        return $this->median === null && $this->failures === 0 && $this->published !== null;
    }

    /** @return Fields for json_encode() */
    public function toArray(): array
    {
        return [
            ...$this->subject->toArray(),
            'median' => $this->median,
            'low' => $this->low,
            'high' => $this->high,
            'samples' => $this->samples,
            'failures' => $this->failures,
            'problem' => $this->problem,
            'histogram' => $this->histogram?->toArray(),
            'published' => $this->published?->toArray(),
            'notes' => $this->notes,
        ];
    }

    /** @param Fields $fields */
    public static function fromArray(array $fields): self
    {
        return new self(
            Subject::fromArray($fields),
            $fields['samples'],
            $fields['median'],
            $fields['low'],
            $fields['high'],
            $fields['failures'],
            $fields['problem'],
            $fields['histogram'] === null ? null : Histogram::fromArray($fields['histogram']),
            $fields['published'] === null ? null : new PublishedFigure(...$fields['published']),
            $fields['notes'],
        );
    }
}
