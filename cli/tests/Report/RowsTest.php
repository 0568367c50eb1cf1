<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Annotator;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Rows;
use Larder\Cli\Timing\Histogram;
use PHPUnit\Framework\TestCase;

final class RowsTest extends TestCase
{
    private readonly Subject $subject;

    protected function setUp(): void
    {
        $this->subject = new Subject('compare', 'redis', 'tcp', '1k', 1000, 'get');
    }

    public function testRowIsTheMedianWithItsInterval(): void
    {
        $row = $this->row(...array_map(
            fn(float $figure): Sample => new Sample($this->subject, $figure),
            [30.0, 10.0, 20.0, 40.0, 60.0, 50.0],
        ));
        self::assertSame(
            [35.0, 0, [30.0, 10.0, 20.0, 40.0, 60.0, 50.0]],
            [$row->median, $row->failures, $row->samples],
        );
        self::assertGreaterThanOrEqual(10.0, $row->low);
        self::assertLessThan(35.0, $row->low);
        self::assertGreaterThan(35.0, $row->high);
    }

    public function testFewSamplesHaveAMedianWithoutInterval(): void
    {
        $row = $this->row(
            new Sample($this->subject, 30.0),
            new Sample($this->subject, 10.0),
            new Sample($this->subject, 20.0),
        );
        self::assertSame([20.0, null, null], [$row->median, $row->low, $row->high]);
    }

    public function testOneFailureInOneRoundRemovesTheFigure(): void
    {
        $row = $this->row(new Sample($this->subject, 30.0), Sample::failed($this->subject, 'loses values', 2));
        self::assertSame(
            [null, null, null, [], 2, 'loses values'],
            [$row->median, $row->low, $row->high, $row->samples, $row->failures, $row->problem],
        );
    }

    public function testFigureThatChangesWithinEachProcessIsNoted(): void
    {
        $notes = fn(float ...$drifts): array => $this->row(...array_map(
            fn(float $drift): Sample => new Sample($this->subject, 1.0, drift: $drift),
            array_values($drifts),
        ))->notes;
        self::assertSame(
            ['not steady: the figure grows while a process measures'],
            $notes(1.2, 1.25, 1.3, 1.3, 1.35, 1.4),
        );
        self::assertSame(
            ['not steady: the figure falls while a process measures'],
            $notes(0.7, 0.75, 0.8, 0.8, 0.85, 0.88),
        );
        self::assertSame([], $notes(0.6, 0.9, 1.3, 1.3, 1.35, 1.4), 'noise');
        self::assertSame([], $notes(1.02, 1.06, 1.15, 1.15, 1.2, 1.25), 'little');
    }

    public function testHistogramsAreMerged(): void
    {
        $samples = [];
        foreach ([100, 900] as $nanoseconds) {
            $histogram = Histogram::empty();
            $histogram->record($nanoseconds);
            $samples[] = new Sample($this->subject, 1.0, histogram: $histogram);
        }
        $row = $this->row(...$samples);
        self::assertSame([2, 900], [$row->histogram?->count(), $row->histogram?->maximum()]);
        self::assertSame(1, $samples[0]->histogram?->count(), 'a sample keeps its own');
    }

    public function testAnnotatorAddsPublishedFigureNotesAndHistoricRows(): void
    {
        $annotator = new class implements Annotator {
            public function published(Subject $subject): PublishedFigure
            {
                return new PublishedFigure(12.0, '2013', 'redis');
            }

            public function notes(Subject $subject): array
            {
                return ['a note on ' . $subject->store];
            }

            public function historic(): array
            {
                return [new Row(
                    new Subject('compare', 'xcache', null, '1k', 1000, 'get'),
                    [],
                    null,
                    null,
                    null,
                    published: new PublishedFigure(1.0, '2013', 'xcache'),
                )];
            }
        };
        $rows = new Rows();
        $rows->add(new Sample($this->subject, 1.0));
        [$row, $historic] = [...$rows->all([$annotator]), null, null];
        self::assertSame([12.0, ['a note on redis']], [$row?->published?->figure, $row?->notes]);
        self::assertTrue($historic?->isHistoric());
    }

    public function testRowsAreInTheOrderGivenAndSubjectsWithoutSamplesHaveNone(): void
    {
        $other = new Subject('compare', 'apcu', null, '1k', 1000, 'get');
        $rows = new Rows([$other, new Subject('compare', 'yac', null, '1k', 1000, 'get'), $this->subject]);
        $rows->add(new Sample($this->subject, 1.0));
        $rows->add(new Sample($other, 2.0));
        self::assertSame(
            ['apcu', 'redis'],
            array_map(static fn(Row $row): string => $row->subject->store, $rows->all()),
        );
    }

    private function row(Sample ...$samples): Row
    {
        $rows = new Rows();
        array_map($rows->add(...), $samples);

        return $rows->all()[0] ?? self::fail('no row');
    }
}
