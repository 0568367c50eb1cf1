<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Browser;

use Facebook\WebDriver\WebDriverKeys;
use Larder\Cli\Report\Html\HtmlFile;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\Report\Row;
use Larder\Cli\Tests\Report\Html\SampleReport;
use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The HTML report in Chromium. Lengths are read from what is drawn, and compared with the data of the report. */
final class ReportTest extends TestCase
{
    /** Largest error in pixels. */
    private const TOLERANCE = 0.75;

    /** All marks of a panel that show figures, and its axis as a reader sees it. */
    private const GEOMETRY = <<<'JS'
        const panel = document.getElementById('panel-' + PANEL);
        panel.scrollIntoView();
        const svg = panel.querySelector('.chart > svg');
        const box = (element) => { const { left, right, top, bottom } = element.getBoundingClientRect(); return { left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2 }; };
        const all = (selector) => [...svg.querySelectorAll(selector)].map((element) => ({ label: element.getAttribute('aria-label'), ...box(element) }));
        const ticks = (axis) => [...svg.querySelectorAll(`[aria-label="${axis}-axis tick label"] text`)].map((element) => ({ text: element.textContent, ...box(element) }));
        return { now: all('.now > *'), then: all('.then > *'), interval: all('.interval > line'), points: all('.point > *'), x: ticks('x'), y: ticks('y') };
        JS;

    private static Browser $browser;
    private static string $file;

    public static function setUpBeforeClass(): void
    {
        self::$browser = new Browser();
        self::$file = self::$browser->directory . '/report.html';
        (new HtmlFile())->write(SampleReport::make(), self::$file);
    }

    public static function tearDownAfterClass(): void
    {
        self::$browser->close();
    }

    protected function tearDown(): void
    {
        self::assertSame([], self::$browser->messages(), 'the page wrote to the console');
    }

    public function testPageOpensWithoutNetwork(): void
    {
        self::$browser->open(self::$file);
        self::drawAll();

        self::assertSame(['file://' . self::$file], array_values(array_filter(self::$browser->addresses(), static fn(string $address): bool => !str_starts_with($address, 'data:') && $address !== 'about:blank')));
        self::assertSame('PHP caches, measured on Example <Processor>', self::$browser->run('return document.title;'));
        self::assertSame([], self::$browser->messages());
        // control: the policy forbids a request that the page does not make
        self::$browser->run('const image = new Image(); image.src = "http://127.0.0.1:9/"; document.body.append(image);');
        self::$browser->waitFor('document.images[0].complete');
        self::assertStringContainsString('Content Security Policy', implode(self::$browser->messages()));
    }

    public function testThreeThousandRowsAreShown(): void
    {
        $file = self::$browser->directory . '/large.html';
        (new HtmlFile())->write(SampleReport::large(3000), $file);
        self::$browser->open($file);
        self::$browser->run('document.querySelector(".fold").open = true;');
        self::$browser->waitFor('document.querySelectorAll(".panel svg").length > 0');

        self::assertSame(10, self::$browser->run('return [...document.querySelectorAll("summary span")].filter((each) => each.textContent === "300 rows, 0 failed").length;'));
        // not a speed test: shows that the chart is drawn, and the time
        $ready = self::$browser->run('return Math.round(performance.getEntriesByType("mark").find((mark) => mark.name === "ready").startTime);');
        self::assertIsInt($ready);
        fwrite(\STDERR, "3000 rows: page ready after $ready ms\n");
    }

    public function testStudiesComeFirstAndAllIsFolded(): void
    {
        self::$browser->open(self::$file);
        $sections = self::$browser->run('return [...document.querySelectorAll("main > section")].map((each) => each.id);');
        self::assertIsArray($sections);
        self::assertSame(['studies', 'stores'], \array_slice($sections, 0, 2));
        self::assertContains('advice', $sections);
        self::assertSame(0, self::$browser->run('return document.querySelectorAll(".fold[open]").length;'));
        self::$browser->open(self::$file, '#machine');
        self::assertSame(['machine'], self::$browser->run('return [...document.querySelectorAll(".fold[open]")].map((each) => each.closest("section").id);'));
    }

    public function testNothingIsShownAsNull(): void
    {
        self::$browser->open(self::$file);
        self::drawAll();
        self::assertSame([], self::$browser->run('return [...document.querySelectorAll("main *")].flatMap((each) => [...each.childNodes]).filter((node) => node.nodeType === Node.TEXT_NODE && /^(null|undefined|NaN|false)$/.test(node.textContent.trim())).map((node) => node.parentElement.outerHTML.slice(0, 200));'));
    }

    public function testDotsStandAtTheirFiguresOnALogarithmicScale(): void
    {
        self::$browser->open(self::$file, '#2013-read-13-values.value=1k');
        $drawn = self::geometry('2013-read-13-values');
        $position = self::scale($drawn['x'], 'x', true);
        $rows = self::rows('2013: read, 13 values', ['value' => '1k']);

        self::assertCount(4, $drawn['then']);
        self::assertCount(3, $drawn['now']);
        foreach ($drawn['now'] as $mark) {
            $row = self::rowOf($rows, $mark['label']);
            self::assertEqualsWithDelta($position((float) $row->median), $mark['x'], self::TOLERANCE, $mark['label']);
        }
        foreach ($drawn['then'] as $mark) {
            $row = self::rowOf($rows, $mark['label']);
            self::assertEqualsWithDelta($position($row->published->figure ?? 0.0), $mark['x'], self::TOLERANCE, $mark['label']);
        }
        foreach ($drawn['interval'] as $mark) {
            $row = self::rowOf($rows, $mark['label']);
            self::assertEqualsWithDelta($position((float) $row->low), $mark['left'], self::TOLERANCE, $mark['label']);
            self::assertEqualsWithDelta($position((float) $row->high), $mark['right'], self::TOLERANCE, $mark['label']);
        }
    }

    public function testBarsAreAsLongAsTheirFiguresOnALinearScale(): void
    {
        self::$browser->open(self::$file, '#scale=linear&2013-read-13-values.value=1k');
        $drawn = self::geometry('2013-read-13-values');
        $position = self::scale($drawn['x'], 'x', false);
        $rows = self::rows('2013: read, 13 values', ['value' => '1k']);

        self::assertCount(3, $drawn['now']);
        self::assertCount(4, $drawn['then']);
        foreach ($drawn['now'] as $mark) {
            $row = self::rowOf($rows, $mark['label']);
            self::assertEqualsWithDelta($position(0), $mark['left'], self::TOLERANCE, 'a bar starts at zero');
            self::assertEqualsWithDelta($position((float) $row->median) - $position(0), $mark['right'] - $mark['left'], self::TOLERANCE, $mark['label']);
        }
        foreach ($drawn['then'] as $mark) {
            self::assertEqualsWithDelta($position(self::rowOf($rows, $mark['label'])->published->figure ?? 0.0), $mark['x'], self::TOLERANCE, $mark['label']);
        }
    }

    /** @return iterable<string, array{string, string, string, bool, \Closure(Row): array<string, float>}> */
    public static function lines(): iterable
    {
        $median = static fn(string $name): \Closure => static fn(Row $row): array => [$name === '' ? (string) $row->subject->value : "$name {$row->subject->settings[$name]}" => (float) $row->median];
        $percentiles = static fn(Row $row): array => array_combine(
            ['p50', 'p90', 'p99', 'p99.9'],
            array_map(static fn(float $percent): float => (float) $row->histogram?->percentile($percent), [50, 90, 99, 99.9]),
        );
        foreach ([true, false] as $isLog) {
            $scale = $isLog ? 'log' : 'linear';
            yield "sizes, $scale" => ['compare', 'compare', 'compare.view=sizes', $isLog, $median('')];
            yield "percentiles, $scale" => ['latency-single-gets', 'latency: single gets', 'latency-single-gets.view=percentiles', $isLog, $percentiles];
            yield "scaling, $scale" => ['scaling-readers', 'scaling: readers', 'scaling-readers.keys=zipf', $isLog, $median('processes')];
        }
        yield 'hit rates are never on a logarithmic scale' => ['hit-rate-1-kb-values', 'hit rate: 1 kB values', 'scale=log', false, $median('data / memory')];
    }

    /** @param \Closure(Row): array<string, float> $figures by position on the other axis */
    #[DataProvider('lines')]
    public function testPointsOfLinesStandAtTheirFigures(string $panel, string $table, string $fragment, bool $isLog, \Closure $figures): void
    {
        self::$browser->open(self::$file, '#' . $fragment . ($isLog || str_contains($fragment, 'scale=') ? '' : '&scale=linear'));
        $drawn = self::geometry($panel);
        $position = self::scale($drawn['y'], 'y', $isLog);
        $expected = [];
        foreach (self::rows($table, ['operation' => 'get']) as $row) {
            $kept = ($row->subject->settings['keys'] ?? 'zipf') === 'zipf' && !str_contains((string) $row->subject->value, 'array');
            foreach ($kept && $row->median !== null ? $figures($row) : [] as $at => $figure) {
                $expected[self::label($row) . ", $at"] = $position($figure);
            }
        }

        self::assertGreaterThan(10, \count($expected));
        $found = [];
        foreach ($drawn['points'] as $point) {
            $found[(string) preg_replace('/: [^:]*$/', '', $point['label'])] = $point['y'];
        }
        ksort($expected);
        ksort($found);
        self::assertSame(array_keys($expected), array_keys($found));
        foreach ($expected as $label => $y) {
            // triangles and similar shapes are not centered in their box
            self::assertEqualsWithDelta($y, $found[$label], 2.5, $label);
        }
    }

    public function testChosenStoresAndSizesAreInTheFragment(): void
    {
        self::$browser->open(self::$file, '#compare.view=sizes');
        self::assertContains('redis, tcp', self::labels('compare'));

        self::$browser->run('document.querySelector("#filters details").open = true; document.querySelector("[data-focus=stores-redis]").click();');
        self::assertNotContains('redis, tcp', self::labels('compare'));
        self::assertContains('apcu', self::labels('compare'));
        self::$browser->run('const from = document.querySelector("[data-focus=from]"); from.value = "1000"; from.dispatchEvent(new Event("change", { bubbles: true }));');
        $fragment = self::$browser->run('return location.hash;');
        self::assertSame('#stores=apcu,eaccelerator,file,larder,memcached,shmop,yac&from=1000&compare.view=sizes', $fragment);

        // the same chart in another window
        self::$browser->open(self::$file, $fragment);
        self::assertNotContains('redis, tcp', self::labels('compare'));
        self::assertSame(['1k', '64k', '128k'], self::$browser->run('return [...new Set([...document.querySelectorAll("#panel-compare .point > *")].map((each) => each.getAttribute("aria-label").match(/, ([^,:]+):/)[1]))];'));
        self::$browser->run('document.querySelector("#reset").click();');
        self::assertSame('', self::$browser->run('return location.hash;'));
        self::assertContains('redis, tcp', self::labels('compare'));
    }

    public function testControlsOfAPanelAreInTheFragment(): void
    {
        self::$browser->open(self::$file);
        self::panel('compare');
        self::$browser->run('const set = document.querySelector("#panel-compare [data-control=operation]"); set.value = "set"; set.dispatchEvent(new Event("change"));');
        self::$browser->run('document.querySelector("#panel-compare [data-control=view] [data-value=table]").click();');

        self::assertSame('#compare.operation=set&compare.view=table', self::$browser->run('return location.hash;'));
        $cells = self::$browser->run('return [...document.querySelectorAll("#panel-compare tbody tr")].map((row) => [row.querySelector("th").textContent, row.querySelector("td").firstChild.textContent]);');
        self::assertIsArray($cells);
        self::assertContains(['apcu', "403\u{a0}ns"], $cells);
    }

    public function testEverythingWorksByKeyboard(): void
    {
        self::$browser->open(self::$file, '#compare.view=sizes');
        self::panel('compare');
        self::$browser->run('scrollTo(0, 0);');
        self::$browser->tabTo('#filters summary');
        self::$browser->press(WebDriverKeys::ENTER);
        self::$browser->tabTo('[data-focus=stores-redis]');
        self::$browser->press(WebDriverKeys::SPACE);
        self::assertNotContains('redis, tcp', self::labels('compare'));
        self::assertTrue(self::$browser->run('return document.activeElement.matches("[data-focus=stores-redis]");'), 'the focus stays');
        self::$browser->press(WebDriverKeys::ESCAPE);
        self::assertFalse(self::$browser->run('return document.querySelector("#filters details").open;'));

        self::$browser->tabTo('#panel-compare [data-value=table]');
        self::$browser->press(WebDriverKeys::ENTER);
        self::assertTrue(self::$browser->run('return document.activeElement.matches("#panel-compare [data-value=table][aria-pressed=true]");'));
        self::assertSame(1, self::$browser->run('return document.querySelectorAll("#panel-compare table").length;'));
    }

    public function testArrowKeysStepThroughTheMarksOfAChart(): void
    {
        $said = static fn(string $panel): mixed => self::$browser->run("return document.querySelector('#panel-$panel .mark').textContent;");
        $framed = static fn(string $panel): mixed => self::$browser->run("const frame = document.querySelector('#panel-$panel .frame'), said = document.querySelector('#panel-$panel .mark').textContent; const box = frame.getBoundingClientRect(); return frame.getAttribute('display') !== 'none' && [...document.querySelectorAll(`#panel-$panel svg [aria-label=\"\${CSS.escape(said)}\"]`)].some((mark) => { const inner = mark.getBoundingClientRect(); return inner.left > box.left && inner.right < box.right && inner.top > box.top && inner.bottom < box.bottom; });");
        self::$browser->open(self::$file, '#2013-read-13-values.value=1k&compare.view=sizes');
        self::panel('compare');
        self::panel('2013-read-13-values');
        self::$browser->tabTo('#panel-2013-read-13-values .chart');
        self::assertSame(['application', 'polite', ''], self::$browser->run("const chart = document.activeElement; return [chart.getAttribute('role'), chart.parentElement.querySelector('.mark').getAttribute('aria-live'), chart.parentElement.querySelector('.mark').textContent];"));
        $rows = self::rows('2013: read, 13 values', ['value' => '1k']);
        $seen = [];
        foreach ($rows as $ignored) {
            self::$browser->press(WebDriverKeys::ARROW_DOWN);
            $label = $said('2013-read-13-values');
            self::assertIsString($label);
            $seen[] = self::label(self::rowOf($rows, $label));
            self::assertTrue($framed('2013-read-13-values'), $label);
        }
        self::assertCount(\count($rows), array_unique($seen), 'each row has its turn');
        self::$browser->press(WebDriverKeys::ARROW_DOWN);
        self::assertSame(end($seen), self::label(self::rowOf($rows, self::text($said('2013-read-13-values')))), 'there is no next one');
        self::$browser->press(WebDriverKeys::HOME);
        self::assertSame($seen[0], self::label(self::rowOf($rows, self::text($said('2013-read-13-values')))));
        self::$browser->press(WebDriverKeys::ESCAPE);
        self::assertSame('', $said('2013-read-13-values'));

        self::$browser->tabTo('#panel-compare .chart');
        self::$browser->press(WebDriverKeys::ARROW_RIGHT);
        $first = self::text($said('compare'));
        self::$browser->press(WebDriverKeys::ARROW_RIGHT);
        $second = self::text($said('compare'));
        $store = static fn(string $label): string => (string) preg_replace('/, [^,]*$/', '', $label);
        self::assertSame($store($first), $store($second), 'along the line');
        self::assertNotSame($first, $second);
        self::assertTrue($framed('compare'));
        self::$browser->press(WebDriverKeys::ARROW_DOWN);
        $other = self::text($said('compare'));
        self::assertNotSame($store($second), $store($other), 'to the next line');
        $at = static fn(string $label): string => (string) preg_replace('/^.*, ([^,:]+):.*$/', '$1', $label);
        self::assertSame($at($second), $at($other), 'at the same size');
        self::$browser->press(WebDriverKeys::TAB);
        self::assertSame('', $said('compare'), 'the chart is left');
    }

    public function testDownloadsHoldTheData(): void
    {
        self::$browser->open(self::$file);
        $lines = self::$browser->download('#download-jsonl');
        self::assertSame(ResultFile::encode(SampleReport::make()), $lines);
        $citation = self::$browser->run('return document.getElementById("citation").textContent;');
        self::assertIsString($citation);
        self::assertSame('larder compare 1.2.3, Example <Processor>, 2 cores, PHP 8.2.36, 2026-01-31, sha256:' . hash('sha256', (string) preg_replace('/^.*\n/', '', $lines, 1)), $citation);

        $csv = array_map(static fn(string $line): array => str_getcsv($line, ',', '"', ''), explode("\r\n", trim(self::$browser->download('#download-csv'))));
        $rows = SampleReport::make()->rows;
        self::assertCount(\count($rows) + 1, $csv);
        $table = array_map(static fn(array $line): array => array_combine(array_map(strval(...), $csv[0]), $line), \array_slice($csv, 1));
        foreach ($rows as $i => $row) {
            self::assertSame($row->subject->table, $table[$i]['table']);
            self::assertSame($row->median, $table[$i]['median'] === '' ? null : (float) $table[$i]['median']);
            self::assertSame($row->problem, $table[$i]['problem']);
        }
    }

    public function testChartIsDownloadedAsSvg(): void
    {
        self::$browser->open(self::$file);
        self::panel('2013-read-13-values');
        $svg = self::$browser->download('#panel-2013-read-13-values [data-download=svg]');

        $document = new \DOMDocument();
        self::assertTrue($document->loadXML($svg), 'well-formed');
        self::assertSame('http://www.w3.org/2000/svg', $document->documentElement?->namespaceURI);
        foreach (['2013: read, 13 values', 'memcached, socket', 'published (2013)', 'sha256:'] as $text) {
            self::assertStringContainsString($text, $document->textContent);
        }
        self::assertDoesNotMatchRegularExpression('/(href|src)=|var\(/', $svg, 'needs the page');
    }

    public function testRowsWithoutAFigureAreListedWithTheReason(): void
    {
        self::$browser->open(self::$file);
        $text = self::$browser->run('return document.getElementById("missing").textContent;');
        self::assertIsString($text);
        foreach (['1 row failed', 'a value was lost ' . SampleReport::HOSTILE, '2 rows not measured', 'The extension memcache is missing', '3 historic rows', 'eaccelerator, get'] as $words) {
            self::assertStringContainsString($words, $text);
        }
        self::assertSame(0, self::$browser->run('return document.querySelectorAll("main img, main script").length;'));
        self::assertStringContainsString('load 3.1 on 2 cores', (string) json_encode(self::$browser->run('return document.getElementById("spoilers").textContent;')));
        self::panel('2013-read-13-values');
        self::assertContains('eaccelerator (historic)', (array) self::$browser->run('return [...document.querySelectorAll("#panel-2013-read-13-values svg text")].map((each) => each.firstChild.textContent);'));
    }

    public function testSchemeIsThatOfTheSystem(): void
    {
        $page = 'return getComputedStyle(document.body).backgroundColor;';
        self::$browser->open(self::$file, '', 1280, 'dark');
        self::assertSame('rgb(15, 19, 24)', self::$browser->run($page));
        self::$browser->open(self::$file);
        self::assertSame('rgb(245, 246, 248)', self::$browser->run($page));
    }

    /** @return iterable<string, array{int, 'light'|'dark'}> */
    public static function windows(): iterable
    {
        foreach ([360, 768, 1280] as $width) {
            yield "$width pixels, light" => [$width, 'light'];
            yield "$width pixels, dark" => [$width, 'dark'];
        }
    }

    /** @param 'light'|'dark' $scheme */
    #[DataProvider('windows')]
    public function testNothingOverflowsOrOverlaps(int $width, string $scheme): void
    {
        foreach (['', '#scale=linear&compare.view=ranking&latency-single-gets.view=ranking', '#compare.view=table&latency-single-gets.view=table'] as $fragment) {
            self::$browser->open(self::$file, $fragment, $width, $scheme);
            self::drawAll();
            self::assertSame(0, self::$browser->run('return document.documentElement.scrollWidth - document.documentElement.clientWidth;'), 'the page is wider than the window');
            $overlaps = self::$browser->run(<<<'JS'
                const found = [];
                for (const svg of document.querySelectorAll('.chart > svg')) {
                  const frame = svg.closest('.chart').getBoundingClientRect();
                  const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent.trim()).map((text) => [text.textContent, text.getBoundingClientRect()]);
                  for (const [i, [words, a]] of texts.entries()) {
                    if (a.left < frame.left - 1 || a.right > frame.right + 1) found.push(`${svg.closest('.panel').id}: "${words}" is cut off`);
                    for (const [others, b] of texts.slice(i + 1)) {
                      if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) found.push(`${svg.closest('.panel').id}: "${words}" and "${others}"`);
                    }
                  }
                }
                return found;
                JS);
            self::assertSame([], $overlaps);
            self::assertSame([], self::$browser->run(<<<'JS'
                return [...document.querySelectorAll('button, select, .panel h3')].filter((each) => each.getClientRects().length && !each.closest('.scroll'))
                  .filter((each) => { const box = each.getBoundingClientRect(), around = (each.closest('.card, .wrap') ?? document.body).getBoundingClientRect(); return box.right > around.right || box.left < around.left || each.scrollWidth > each.clientWidth + 1; })
                  .map((each) => each.textContent);
                JS), 'a control is cut off');
            if ($fragment === '') {
                self::$browser->picture(Repository::ROOT . "/var/browser/$width-$scheme.png");
            }
        }
    }

    /** @return iterable<string, array{'light'|'dark'}> */
    public static function schemes(): iterable
    {
        yield 'light' => ['light'];
        yield 'dark' => ['dark'];
    }

    /**
     * WCAG 2.2 asks for 4.5:1 for text and 3:1 for graphics.
     *
     * @param 'light'|'dark' $scheme
     */
    #[DataProvider('schemes')]
    public function testContrastIsEnough(string $scheme): void
    {
        self::$browser->open(self::$file, '#compare.view=sizes', 1280, $scheme);
        self::drawAll();
        $low = self::$browser->run(<<<'JS'
            const light = (color) => { const [r, g, b] = color.match(/[\d.]+/g).map((each) => { const c = each / 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
            const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
            const behind = (element) => { for (let e = element; e; e = e.parentElement) { const color = getComputedStyle(e).backgroundColor; if (!/, 0\)$/.test(color) && !color.startsWith('rgba')) return color; } return 'rgb(255, 255, 255)'; };
            const found = new Set();
            const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let node = texts.nextNode(); node; node = texts.nextNode()) {
              const element = node.parentElement, style = getComputedStyle(element);
              if (!node.data.trim() || !element.getClientRects().length || element.closest('script, style')) continue;
              const color = element.closest('svg') ? style.fill : style.color;
              if (color !== 'none' && contrast(color, behind(element)) < 4.5) found.add(`${node.data.trim()}: ${color} on ${behind(element)}`);
            }
            for (const mark of document.querySelectorAll('.point, .now > *')) {
              const color = getComputedStyle(mark).fill;
              if (contrast(color, behind(mark)) < 3) found.add(`${color} on ${behind(mark)}`);
            }
            return [...found];
            JS);
        self::assertSame([], $low);
    }

    private static function drawAll(): void
    {
        foreach ((array) self::$browser->run('return [...document.querySelectorAll(".panel")].map((panel) => panel.id);') as $id) {
            self::panel(substr(\is_string($id) ? $id : '', 6));
        }
        self::$browser->run('scrollTo(0, 0);');
    }

    private static function panel(string $id): void
    {
        $element = 'document.getElementById(' . json_encode('panel-' . $id) . ')';
        self::$browser->run("$element.closest('.fold').open = true; $element.scrollIntoView();");
        self::$browser->waitFor("$element.querySelector('.chart svg, table')");
    }

    /** @return array<'now'|'then'|'interval'|'points'|'x'|'y', list<array{label: string, text: string, x: float, y: float, left: float, right: float}>> */
    private static function geometry(string $panel): array
    {
        self::panel($panel);

        /** @var array<'now'|'then'|'interval'|'points'|'x'|'y', list<array{label: string, text: string, x: float, y: float, left: float, right: float}>> */
        return self::$browser->run(str_replace('PANEL', (string) json_encode($panel), self::GEOMETRY));
    }

    /**
     * The position of a figure, by the axis that a reader sees.
     *
     * @param list<array{text: string, x: float, y: float}> $ticks
     * @param 'x'|'y' $axis
     * @return \Closure(float): float
     */
    private static function scale(array $ticks, string $axis, bool $isLog): \Closure
    {
        self::assertGreaterThan(1, \count($ticks));
        $at = static fn(float $figure): float => $isLog ? log10($figure) : $figure;
        $places = [];
        foreach ($ticks as $tick) {
            $places[] = [$at(self::number($tick['text'])), $tick[$axis]];
        }
        sort($places);
        [[$low, $from], [$high, $to]] = [$places[0], $places[\count($places) - 1]];
        $position = static fn(float $figure): float => $from + ($at($figure) - $low) / ($high - $low) * ($to - $from);
        foreach ($places as [$figure, $place]) {
            self::assertEqualsWithDelta($from + ($figure - $low) / ($high - $low) * ($to - $from), $place, self::TOLERANCE, 'the ticks of the axis are even');
        }

        return $position;
    }

    private static function number(string $text): float
    {
        self::assertSame(1, preg_match('~^([\d.,]+)\s*(\D*)$~u', $text, $match), $text);
        $factors = ['ns' => 1, 'µs' => 1e3, 'ms' => 1e6, 's' => 1e9, '%' => 1, '' => 1, '/s' => 1, 'k/s' => 1e3, 'M/s' => 1e6, 'B' => 1, 'kB' => 1e3];

        return (float) str_replace(',', '', $match[1]) * $factors[$match[2]];
    }

    /**
     * @param array{value?: string, operation?: string} $with
     * @return list<Row>
     */
    private static function rows(string $table, array $with): array
    {
        return array_values(array_filter(SampleReport::make()->rows, static fn(Row $row): bool => $row->subject->table === $table
            && $row->subject->value === ($with['value'] ?? $row->subject->value) && $row->subject->operation === ($with['operation'] ?? $row->subject->operation)));
    }

    /** @param list<Row> $rows */
    private static function rowOf(array $rows, string $label): Row
    {
        foreach ($rows as $row) {
            if (str_starts_with($label . ',', self::label($row) . ',')) {
                return $row;
            }
        }
        self::fail("no row is $label");
    }

    private static function label(Row $row): string
    {
        return $row->subject->store . ($row->subject->connection === null ? '' : ', ' . $row->subject->connection);
    }

    private static function text(mixed $text): string
    {
        self::assertIsString($text);

        return $text;
    }

    /** @return list<string> names at the ends of the lines */
    private static function labels(string $panel): array
    {
        self::panel($panel);

        /** @var list<string> */
        return self::$browser->run('return [...document.querySelectorAll("#panel-' . $panel . ' .labels text")].map((text) => text.textContent);');
    }
}
