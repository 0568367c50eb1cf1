<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Timing\Histogram;
use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/** Makes a row of the samples of each subject. */
final class Rows
{
    /** The whole interval must lie beyond: of many rows, noise alone would move some intervals off 1. */
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
     * Notes that a figure changed in the same direction within most processes: then it depends on how long they
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
        // A store that failed once has no figure at all: how fast it was while it worked says nothing.
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
