<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report\Html;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Advice\Bar;
use Larder\Cli\Report\Figure;
use Larder\Cli\Report\Html\HtmlFile;
use Larder\Cli\Report\Html\Page;
use Larder\Cli\Report\Ranks;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Score;
use Larder\Cli\Report\Setup;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

/** Tests the page as a file. For its behaviour in a browser, see tests/Browser. */
final class PageTest extends TestCase
{
    private static ?\DOMXPath $page = null;

    public function testEmbeddedDataIsWhatTheResultFileHas(): void
    {
        $data = self::text(self::page(), '//script[@id="data"]');

        self::assertSame(ResultFile::encode(SampleReport::make()), gzdecode((string) base64_decode($data, true)));
    }

    public function testPageIsReadAsTheResultInIt(): void
    {
        $folder = new TemporaryDirectory();
        (new HtmlFile())->write(SampleReport::make(), "$folder->path/report.html");

        self::assertEquals(SampleReport::make(), ResultFile::read("$folder->path/report.html"));
        $folder->write('other.html', '<!doctype html><title>another page</title>');
        $this->expectExceptionMessage("$folder->path/other.html, line 1: is not a JSON object.");
        ResultFile::read("$folder->path/other.html");
    }

    public function testPageNeedsNothingBesideItself(): void
    {
        $page = self::page();

        foreach (self::nodes(
            $page,
            '//@src | //link | //@href[not(starts-with(., "#"))] | //@action | //iframe | //object',
        ) as $node) {
            self::fail('refers to something else: ' . $node->nodeName . ' ' . $node->nodeValue);
        }
        self::assertDoesNotMatchRegularExpression('/@import|url\(/', self::text($page, '//style'));
        self::assertMatchesRegularExpression('/\{\{[a-z]/', '{{data}}'); // the control
        self::assertDoesNotMatchRegularExpression(
            '/\{\{[a-z]/',
            $page->document->textContent,
            'a part of the template was not filled in',
        );
    }

    /** The policy lists the scripts by their hashes, so the browser runs no other script and connects to nothing. */
    public function testOnlyTheOwnScriptsMayRun(): void
    {
        $page = self::page();
        $policy = self::text($page, '//meta[@http-equiv="Content-Security-Policy"]/@content');
        self::assertStringStartsWith("default-src 'none'; ", $policy);
        preg_match('/script-src ([^;]+)/', $policy, $allowed);

        $scripts = self::nodes($page, '//script[not(@type)]');
        self::assertCount(3, $scripts);
        $hashes = array_map(
            static fn(\DOMNode $script): string => \sprintf(
                "'sha256-%s'",
                base64_encode(hash('sha256', (string) $script->nodeValue, true)),
            ),
            $scripts,
        );
        self::assertSame($hashes, explode(' ', $allowed[1] ?? ''));
    }

    public function testTextOfTheReportStaysText(): void
    {
        $report = SampleReport::make();
        $rows = array_map(static function (Row $row): Row {
            $fields = $row->toArray();
            $fields['store'] .= $fields['store'] === 'larder' ? '' : SampleReport::HOSTILE;

            return Row::fromArray($fields);
        }, $report->rows);
        $page = self::parsed(
            new Report(
                ['processor' => SampleReport::HOSTILE] + $report->environment,
                $rows,
                $report->notMeasured,
                [SampleReport::HOSTILE],
            ),
        );

        self::assertCount(5, self::nodes($page, '//script'));
        self::assertCount(0, self::nodes($page, '//img'));
        self::assertSame('PHP caches, measured on ' . SampleReport::HOSTILE, self::text($page, '//title'));
        self::assertStringContainsString(SampleReport::HOSTILE, self::text($page, '//p[@id="spoilers"]'));
    }

    /** Needs no script: the answers of the terminal, the chart in two sizes, and the spoilers of the run. */
    public function testFirstScreenHasTheAnswers(): void
    {
        $report = ResultFile::read(__DIR__ . '/../../Advice/recorded.jsonl');
        $page = self::parsed(new Report($report->environment, $report->rows, [], ['One fact: what to do.', 'Another']));
        self::assertSame(
            'A request’s cache calls take 3.10 µs with Larder, 184 µs with APCu and 982 µs with Redis',
            self::text($page, '//h1'),
        );
        self::assertSame(
            '23 Nov 2026 · PHP 8.2.36 · Intel(R) Xeon(R) Processor, 2 cores',
            self::text($page, '//p[@class="run"]'),
        );
        foreach (Advice::of($report)?->answers() ?? [] as $title => $answer) {
            $letters = static fn(string $text): string => (string) preg_replace('/[ .]/', '', $text);
            $card = self::text($page, "//section[h2=\"$title\"]");
            self::assertSame($letters($title . $answer->text . $answer->dsn), $letters($card));
        }
        self::assertSame(
            'One machine: use Larder. Several machines: use Memcached or Redis (no difference).',
            self::text($page, '//p[@class="lead"]'),
        );
        self::assertCount(2, self::nodes($page, '//figure[h2]//*[local-name()="svg"]'));
        self::assertCount(2 * 5, self::nodes($page, '//figure[h2]//*[local-name()="rect"]'));
        self::assertStringContainsString('2 facts', self::text($page, '//details[@id="spoilers"]'));
    }

    /** Bars begin at zero, and their lengths are proportional to the figures. */
    public function testBarsOfTheFirstScreenAreLinear(): void
    {
        $report = ResultFile::read(__DIR__ . '/../../Advice/recorded.jsonl');
        $page = self::parsed($report);
        $lengths = [];
        foreach (self::nodes($page, '//*[local-name()="svg"][@class="wide"]//*[local-name()="rect"]') as $bar) {
            \assert($bar instanceof \DOMElement);
            $lengths[$bar->getAttribute('x')][] = (float) $bar->getAttribute('width');
        }
        self::assertCount(1, $lengths);
        $figures = [];
        foreach (Advice::of($report)?->chart() ?? [] as $bars) {
            array_push($figures, ...array_map(static fn(Bar $bar): float => $bar->cost->value, $bars));
        }
        $lengths = array_values($lengths)[0];
        foreach ($figures as $i => $figure) {
            self::assertEqualsWithDelta(
                max(2.0, $figure / max([1.0, ...$figures]) * max([1.0, ...$lengths])),
                $lengths[$i],
                0.2,
            );
        }
    }

    /** Needs no script either. */
    public function testFoldsHaveTheAdviceScoresAndGaps(): void
    {
        $page = self::page();
        $report = SampleReport::make();
        $list = static fn(string $query): array => array_map(
            static fn(\DOMNode $node): string => (string) $node->nodeValue,
            self::nodes($page, $query),
        );
        foreach (Advice::of($report)?->details() ?? [] as $title => $lines) {
            self::assertSame($lines, $list("//section[@id='advice']//div[h3='$title']//li"));
        }
        $ofCompare = Score::of(
            array_values(array_filter($report->rows, static fn(Row $row): bool => $row->subject->table === 'compare')),
        );
        self::assertSame(
            array_map(
                static fn(Score $score): string => $score->setup->name() . Figure::ratio($score->score),
                $ofCompare['default'],
            ),
            array_map(
                static fn(\DOMNode $line): string => $line->childNodes->item(0)?->nodeValue
                    . $line->childNodes->item(1)?->nodeValue,
                self::nodes($page, '//section[@id="score"]//tbody/tr'),
            ),
        );
        self::assertSame(
            ['1 row failed', '2 rows not measured', '3 historic rows'],
            $list('//section[@id="missing"]//h3'),
        );
        self::assertContains(
            'compareyac, get, 1k12a value was lost ' . SampleReport::HOSTILE,
            $list('//section[@id="missing"]//tr'),
        );
        self::assertSame(
            [
                'larder compare 1.2.3, Example <Processor>, 2 cores, PHP 8.2.36, 2026-01-31, sha256:' . hash(
                    'sha256',
                    (string) preg_replace('/^.*\n/', '', ResultFile::encode($report), 1),
                ),
            ],
            $list('//*[@id="citation"]'),
        );
    }

    /** As in the terminal: rows of the same operation and value are ranked among themselves. */
    public function testRanksAreThoseOfTheReport(): void
    {
        $rows = SampleReport::make()->rows;
        /** @var list<array{int, int|null, list<array{float, int}>|null}> $ranks */
        $ranks = json_decode(self::text(self::page(), '//script[@id="ranks"]'), true);
        self::assertCount(\count($rows), $ranks);
        $same = array_filter(
            $rows,
            static fn(Row $row): bool => Setup::task($row->subject) === Setup::task($rows[0]->subject),
        );
        $expected = [];
        foreach (Ranks::of(array_values($same)) as ['row' => $row, 'rank' => $rank]) {
            $expected[$row->subject->key()] = [$ranks[0][0], $rank];
        }
        self::assertGreaterThan(3, \count($expected));
        foreach ($same as $i => $row) {
            self::assertSame($expected[$row->subject->key()], \array_slice($ranks[$i], 0, 2));
        }
        self::assertNotSame($ranks[0][0], $ranks[1][0], 'a set is another task');
        $found = 0;
        foreach ($rows as $i => $row) {
            foreach ($ranks[$i][2] ?? [] as [$percent, $time]) {
                self::assertSame($row->histogram?->percentile($percent), $time);
                ++$found;
            }
        }
        self::assertGreaterThan(30, $found);
    }

    /** On a logarithmic scale, the same factor is the same distance. */
    public function testDotsOfGetsStandAtTheirFigures(): void
    {
        $report = ResultFile::read(__DIR__ . '/../../Advice/recorded.jsonl');
        $places = array_map(
            static fn(\DOMNode $dot): float => $dot instanceof \DOMElement ? (float) $dot->getAttribute('cx') : 0.0,
            self::nodes(
                self::parsed($report),
                '//section[@id="get"]//*[local-name()="svg"][@class="wide"]//*[local-name()="circle"]',
            ),
        );
        $figures = [];
        foreach (Advice::of($report)?->gets() ?? [] as $get) {
            array_push($figures, log10($get['small']), log10($get['large']));
        }
        self::assertGreaterThan(4, \count($figures));
        self::assertCount(\count($figures), $places);
        [$left, $right, $least, $most] = [
            min([\INF, ...$places]),
            max([0.0, ...$places]),
            min([\INF, ...$figures]),
            max([0.0, ...$figures]),
        ];
        foreach ($figures as $i => $figure) {
            self::assertEqualsWithDelta(
                $left + ($figure - $least) * ($right - $left) / ($most - $least),
                $places[$i],
                0.2,
            );
        }
    }

    public function testThreeThousandRowsStayBelowThreeMegabytes(): void
    {
        self::assertLessThan(3_000_000, \strlen((new Page(SampleReport::large(3000)))->html()));
    }

    public function testEmptyReportIsAPageToo(): void
    {
        self::assertStringContainsString('<title>PHP caches, measured</title>', (new Page(new Report([], [])))->html());
    }

    public function testFileThatCannotBeWrittenIsNamed(): void
    {
        $this->expectExceptionObject(new \RuntimeException('/nowhere/report.html could not be written'));
        (new HtmlFile())->write(SampleReport::make(), '/nowhere/report.html');
    }

    private static function page(): \DOMXPath
    {
        return self::$page ??= self::parsed(SampleReport::make());
    }

    private static function parsed(Report $report): \DOMXPath
    {
        $document = new \DOMDocument();
        $errors = libxml_use_internal_errors(true);
        $document->loadHTML((new Page($report))->html(), \LIBXML_PARSEHUGE);
        // libxml only knows the elements of HTML 4
        $wrong = array_filter(
            libxml_get_errors(),
            static fn(\LibXMLError $error): bool => preg_match('/^Tag (header|nav|main|footer|details|summary|svg|section|figure|figcaption|article|rect|path|circle|text) invalid/', $error->message) !== 1,
        );
        libxml_clear_errors();
        libxml_use_internal_errors($errors);
        self::assertSame([], $wrong);

        return new \DOMXPath($document);
    }

    /** @return list<\DOMNode> */
    private static function nodes(\DOMXPath $page, string $query): array
    {
        $found = $page->query($query);
        self::assertInstanceOf(\DOMNodeList::class, $found);
        $nodes = [];
        foreach ($found as $node) {
            self::assertInstanceOf(\DOMNode::class, $node);
            $nodes[] = $node;
        }

        return $nodes;
    }

    private static function text(\DOMXPath $page, string $query): string
    {
        $nodes = self::nodes($page, $query);
        self::assertCount(1, $nodes, $query);

        return (string) $nodes[0]->nodeValue;
    }
}
