<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Timing\Histogram;
use Larder\Cli\Timing\Statistics;

/** The result of a load generator for one page. */
final class PageLoad
{
    /** @var list<float> nanoseconds of one request, by turn */
    private array $turns = [];
    private int $failures = 0;
    private string $problem = '';
    private readonly Histogram $histogram;

    /** @param string $expectedBody of each answer */
    public function __construct(public readonly string $path, private readonly string $expectedBody)
    {
        $this->histogram = Histogram::empty();
    }

    public function addTurn(float $nanoseconds): void
    {
        $this->turns[] = $nanoseconds;
    }

    /** @param int $nanoseconds from the request to the end of its answer */
    public function addAnswer(string $bytes, int $nanoseconds): void
    {
        try {
            $problem = HttpResponse::parse($bytes)->problem($this->expectedBody);
        } catch (HttpFailed $failed) {
            $problem = $failed->getMessage();
        }
        if ($problem === '') {
            $this->histogram->record($nanoseconds);
        } else {
            $this->addFailure($problem);
        }
    }

    public function addFailure(string $problem): void
    {
        ++$this->failures;
        $this->problem = $this->problem === '' ? $problem : $this->problem;
    }

    /**
     * Its requests per second, divided by those of another page: the median of the rounds. Each round measures both
     * pages, so a slow phase of the machine changes the ratio less than the times.
     *
     * @return float|null null if a turn of either page failed
     */
    public function share(self $base): ?float
    {
        if ($this->turns === [] || $this->failures > 0 || $base->failures > 0) {
            return null;
        }

        return Statistics::median(
            array_map(static fn(float $time, float $ofBase): float => $ofBase / $time, $this->turns, $base->turns),
        );
    }

    /**
     * @return array{
     *     path: string, nanoseconds: ?float, failures: int, problem: string,
     *     histogram: array{counts: array<int, int>, maximum: int},
     * } for json_encode()
     */
    public function toArray(): array
    {
        return [
            'path' => $this->path,
            'nanoseconds' => $this->failures > 0 || $this->turns === [] ? null : Statistics::median($this->turns),
            'failures' => $this->failures,
            'problem' => $this->problem,
            'histogram' => $this->histogram->toArray(),
        ];
    }
}
