<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Report\Html;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Report\Html\HtmlFile;
use Larder\Cli\Report\Html\Page;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Score;
use PHPUnit\Framework\TestCase;

/** The page as a file. What a browser makes of it: tests/Browser. */
final class PageTest extends TestCase
{
    private static ?\DOMXPath $page = null;

    public function testEmbeddedDataIsWhatTheResultFileHas(): void
    {
        $data = self::text(self::page(), '//script[@id="data"]');

        self::assertSame(ResultFile::encode(SampleReport::make()), gzdecode((string) base64_decode($data, true)));
    }

    public function testPageNeedsNothingBesideItself(): void
    {
        $page = self::page();

        foreach (self::nodes($page, '//@src | //link | //@href[not(starts-with(., "#"))] | //@action | //iframe | //object') as $node) {
            self::fail('refers to something else: ' . $node->nodeName . ' ' . $node->nodeValue);
        }
        self::assertDoesNotMatchRegularExpression('/@import|url\(/', self::text($page, '//style'));
        self::assertMatchesRegularExpression('/\{\{[a-z]/', '{{data}}'); // control
        self::assertDoesNotMatchRegularExpression('/\{\{[a-z]/', $page->document->textContent, 'a part of the template was not filled in');
    }

    /** The policy names the scripts by their hashes: the browser runs no other and connects to nothing. */
    public function testOnlyTheOwnScriptsMayRun(): void
    {
        $page = self::page();
        $policy = self::text($page, '//meta[@http-equiv="Content-Security-Policy"]/@content');
        self::assertStringStartsWith("default-src 'none'; ", $policy);
        preg_match('/script-src ([^;]+)/', $policy, $allowed);

        $scripts = self::nodes($page, '//script[not(@type)]');
        self::assertCount(3, $scripts);
        $hashes = array_map(static fn(\DOMNode $script): string => \sprintf("'sha256-%s'", base64_encode(hash('sha256', (string) $script->nodeValue, true))), $scripts);
        self::assertSame($hashes, explode(' ', $allowed[1] ?? ''));
    }

    public function testTextOfTheReportStaysText(): void
    {
        $report = SampleReport::make();
        $advice = [SampleReport::HOSTILE => [SampleReport::HOSTILE]];
        $page = self::parsed(new Report(['processor' => SampleReport::HOSTILE] + $report->environment, $report->rows, $report->notMeasured, [SampleReport::HOSTILE]), $advice);

        self::assertCount(5, self::nodes($page, '//script'));
        self::assertCount(0, self::nodes($page, '//img'));
        self::assertSame('PHP caches, measured on ' . SampleReport::HOSTILE, self::text($page, '//title'));
        $facts = json_decode(self::text($page, '//script[@id="facts"]'), true);
        self::assertIsArray($facts);
        self::assertSame($advice, $facts['advice']);
    }

    public function testAdviceAndScoresAreThoseOfTheReport(): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'larder-page-');
        $report = SampleReport::make();

        try {
            (new HtmlFile())->write($report, $file);
            preg_match('~id="facts">(.*?)</script>~', (string) file_get_contents($file), $match);
        } finally {
            unlink($file);
        }

        /** @var array{advice: array<string, list<string>>, scores: list<array{title: string, scores: list<array{name: string, score: float, low: ?float}>}>} $facts */
        $facts = json_decode($match[1] ?? '', true);
        self::assertSame(Advice::of($report), $facts['advice']);
        $ofCompare = Score::of(array_values(array_filter($report->rows, static fn(Row $row): bool => $row->subject->table === 'compare')));
        self::assertSame('Default settings', $facts['scores'][0]['title']);
        self::assertSame(
            array_map(static fn(Score $score): array => [$score->setup->name(), $score->score, $score->interval?->low], $ofCompare['default']),
            array_map(static fn(array $each): array => [$each['name'], $each['score'], $each['low']], $facts['scores'][0]['scores']),
        );
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

    /** @param array<string, list<string>> $advice */
    private static function parsed(Report $report, array $advice = []): \DOMXPath
    {
        $document = new \DOMDocument();
        $errors = libxml_use_internal_errors(true);
        $document->loadHTML((new Page($report, $advice))->html(), \LIBXML_PARSEHUGE);
        // libxml knows the elements of HTML 4 only
        $wrong = array_filter(libxml_get_errors(), static fn(\LibXMLError $error): bool => preg_match('/^Tag (header|nav|main|footer|details|summary|svg) invalid/', $error->message) !== 1);
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
