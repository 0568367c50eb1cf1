<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Timing\Histogram;
use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/** Turns the samples of each subject into a row. */
final class Rows
{
    /** The whole interval must be beyond this ratio: with many rows, noise alone moves some intervals away from 1. */
    private const DRIFT = 1.1;

    /** @var array<string, array{subject: Subject, samples: list<Sample>}> by Subject::key() */
    private array $bySubject = [];

    /** @param list<Subject> $order of the report */
    public function __construct(array $order = [])
    {
        foreach ($order as $subject) {
            $this->bySubject[$subject->key()] = ['subject' => $subject, 'samples' => []];
        }
    }

    public function add(Sample $sample): void
    {
        $key = $sample->subject->key();
        $this->bySubject[$key] ??= ['subject' => $sample->subject, 'samples' => []];
        $this->bySubject[$key]['samples'][] = $sample;
    }

    /**
     * @param list<Annotator> $annotators
     * @return list<Row> of the subjects that have samples, then the historic rows
     */
    public function all(array $annotators = []): array
    {
        $rows = [];
        foreach ($this->bySubject as ['subject' => $subject, 'samples' => $samples]) {
            if ($samples !== []) {
                $rows[] = self::row($subject, $samples, $annotators);
            }
        }
        foreach ($annotators as $annotator) {
            array_push($rows, ...$annotator->historic());
        }

        return $rows;
    }

    /**
     * A note if the figure changed in the same direction within most processes. It then depends on how long they
     * measured.
     *
     * @param list<float> $drifts
     * @return list<string>
     */
    private static function drift(array $drifts): array
    {
        $interval = Interval::ofMedian($drifts);
        return match (true) {
            $interval?->low > self::DRIFT => ['not steady: the figure grows while a process measures'],
            $interval !== null && $interval->high < 1 / self::DRIFT => [
                'not steady: the figure falls while a process measures',
            ],
            default => [],
        };
    }

    /**
     * @param non-empty-list<Sample> $samples
     * @param list<Annotator> $annotators
     */
    private static function row(Subject $subject, array $samples, array $annotators): Row
    {
        $figures = $drifts = $notes = [];
        $failures = 0;
        $problem = '';
        $histogram = $published = null;
        foreach ($samples as $sample) {
            $failures += $sample->failures;
            $problem = $problem === '' ? $sample->problem : $problem;
            if ($sample->figure !== null) {
                $figures[] = $sample->figure;
            }
            if ($sample->drift !== null) {
                $drifts[] = $sample->drift;
            }
            if ($sample->histogram !== null) {
                $histogram ??= Histogram::empty();
                $histogram->merge($sample->histogram);
            }
        }
        // A store that failed once has no figure: its speed before the failure is meaningless.
        $figures = $failures === 0 ? $figures : [];
        foreach ($annotators as $annotator) {
            $published ??= $annotator->published($subject);
            array_push($notes, ...$annotator->notes($subject));
        }
        array_push($notes, ...self::drift($drifts));
        $interval = Interval::ofMedian($figures);

        return new Row(
            $subject,
            $figures,
            $figures === [] ? null : Statistics::median($figures),
            $interval?->low,
            $interval?->high,
            $failures,
            $problem,
            $histogram,
            $published,
            $notes,
        );
    }
}
