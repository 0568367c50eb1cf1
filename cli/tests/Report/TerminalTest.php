<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report;

use Larder\Cli\Command\Terminal;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Rows;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Output\BufferedOutput;

final class TerminalTest extends TestCase
{
    /** Uses the longest name, and figures of the greatest length. */
    public function testTablesHaveAtMostEightyColumns(): void
    {
        $rows = [];
        foreach (['get', 'set'] as $operation) {
            for ($i = 1; $i <= 11; ++$i) {
                $subject = new Subject(
                    'compare',
                    $i === 1 ? 'apcu' : "mysql-myis$i",
                    $i === 1 ? null : 'socket',
                    '50 x 50 array',
                    24_847,
                    $operation,
                );
                $rows[] = new Row(
                    $subject,
                    [],
                    1e8 + $i * 1e6,
                    1.0,
                    1e9,
                    published: new PublishedFigure(39_700_000.0, '2016', 'mysql'),
                );
            }
        }
        foreach (explode(
            "\n",
            self::printed(new Report(
                [],
                $rows,
                [['subject' => $rows[0]->subject, 'reason' => str_repeat('very ', 40) . 'long']],
                [str_repeat('spoilt ', 30)],
            )),
        ) as $line) {
            self::assertLessThanOrEqual(80, mb_strwidth($line), $line);
        }
    }

    public function testRowsThatOverlapShareARankAndRatiosAreToTheFastestSharedStore(): void
    {
        $output = self::printed(new Report(
            [],
            self::rows('compare', ['array' => 50.0, 'apcu' => 100.0, 'larder' => 101.0, 'sqlite' => 400.0]),
        ));
        self::assertMatchesRegularExpression('/^array +50\.0 ns +±\d% +0\.50 *$/m', $output);
        self::assertMatchesRegularExpression('/^apcu +100 ns +±\d% +1\.00 +1 *$/m', $output);
        self::assertMatchesRegularExpression('/^larder +101 ns +±\d% +1\.01 +1 *$/m', $output);
        self::assertMatchesRegularExpression('/^sqlite +400 ns +±\d% +4\.00 +3 *$/m', $output);
        self::assertStringContainsString(
            'Rows of the same rank (#) show no difference',
            (string) preg_replace('/\s+/', ' ', $output),
        );
        self::assertStringContainsString('Time of one request', $output);
        self::assertMatchesRegularExpression('/^  sqlite: [\d.]+ µs \(.*\), 4\.\d+ times as long/m', $output);
    }

    public function testRowBehindCopiesIsMarked(): void
    {
        $row = new Row(
            new Subject('compare', 'redis', 'tcp', '1k', 1000, 'get', settings: ['tier' => 'larder']),
            [1.0],
            1.0,
            null,
            null,
        );
        self::assertMatchesRegularExpression('/^redis tcp \+ +1\.00 ns/m', self::printed(new Report([], [$row])));
    }

    public function testTablesOfStudiesShowPublishedAndHistoricFigures(): void
    {
        $rows = self::rows('sail: page', ['redis' => 4000.0, 'file' => 9000.0], Unit::RequestsPerSecond);
        $rows[] = new Row(
            new Subject('sail: page', 'xcache', null, '1k', 1000, 'get', Unit::RequestsPerSecond),
            [],
            null,
            null,
            null,
            published: new PublishedFigure(1234.0, 'sail', 'xcache'),
        );
        $output = self::printed(new Report([], $rows));
        self::assertMatchesRegularExpression('/^sail: page$/m', $output);
        self::assertMatchesRegularExpression('/^file +1k +9,000\/s +±\d% +1/m', $output);
        self::assertMatchesRegularExpression('/^redis +1k +4,000\/s +±\d% +2/m', $output);
        self::assertMatchesRegularExpression('/^xcache \(historic\) +1k +1,234\/s/m', $output);
    }

    public function testSettingThatIsOnIsShownByItsName(): void
    {
        $output = self::printed(new Report(
            [],
            [new Row(new Subject('sail: page', 'redis', 'socket', '11 b', 11, 'request', Unit::RequestsPerSecond, [
                'persistent' => 'on',
            ]), [1.0], 4000.0, null, null)],
        ));
        self::assertMatchesRegularExpression('/^redis socket persistent +11 b +4,000\/s/m', $output);
    }

    public function testFailuresAndNotesAreListed(): void
    {
        $subject = new Subject('compare', 'yac', null, '1k', 1000, 'get');
        $output = self::printed(new Report([], [
            new Row($subject, [], null, null, null, 3, 'loses values'),
            new Row(new Subject('compare', 'apcu', null, '1k', 1000, 'get'), [1.0], 1.0, null, null, notes: ['a note']),
        ]));
        self::assertMatchesRegularExpression('/^yac +FAILS/m', $output);
        self::assertStringContainsString('yac, get: loses values (3 times; 1k)', $output);
        self::assertStringContainsString('apcu get: a note', $output);
    }

    private static function printed(Report $report): string
    {
        $output = new BufferedOutput();
        (new Terminal($output))->print($report, []);

        return $output->fetch();
    }

    /**
     * @param array<string, float> $figures by store
     * @return list<Row>
     */
    private static function rows(string $table, array $figures, Unit $unit = Unit::Nanoseconds): array
    {
        $rows = new Rows();
        foreach ($figures as $store => $figure) {
            foreach ([0.98, 0.99, 1.0, 1.0, 1.01, 1.02] as $i => $factor) {
                $rows->add(new Sample(
                    new Subject($table, $store, null, '1k', 1000, 'get', $unit),
                    $figure * ($store === 'larder' ? 2 - $factor : $factor),
                ));
            }
        }

        return $rows->all();
    }
}
