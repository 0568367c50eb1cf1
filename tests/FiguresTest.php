<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\Report\Check;
use Larder\Cli\Report\Html\Page;
use Larder\Cli\Report\ResultFile;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/** docs/figures.md, the chart and the reports are the output of lab/figures/run for the stored measurements. */
final class FiguresTest extends TestCase
{
    private const PAGE = Repository::ROOT . '/docs/figures.md';
    private const CHART = Repository::ROOT . '/docs/figures/chart.svg';

    public function testPageMatchesTheMeasurements(): void
    {
        self::assertSame((string) file_get_contents(self::PAGE), $this->page(Repository::ROOT . '/docs/figures'));
    }

    #[TestWith(['compare.jsonl', '/("median"): ?[\d.]+/'])]
    #[TestWith(['engine.jsonl', '/("ours"): ?[\d.]+/'])]
    #[TestWith(['library.jsonl', '/("ours"): ?[\d.]+/'])]
    #[TestWith(['sessions.jsonl', '/("longest_wait_ms"): ?[\d.]+/'])]
    #[TestWith(['pages.jsonl', '/("ratio"): ?[\d.]+/'])]
    #[TestWith(['memory.jsonl', '/("ours"): ?[\d.]+/'])]
    public function testOtherMeasurementsAreNoticed(string $file, string $figure): void
    {
        self::assertNotSame((string) file_get_contents(self::PAGE), $this->page($this->changed($file, $figure, '$1:987654.0')));
    }

    public function testOtherTimesOfSerializersAreNoticed(): void
    {
        self::assertNotSame((string) file_get_contents(self::PAGE), $this->page($this->changed('serializers.txt', '/[\d.]+( \S+)$/m', '987$1')));
    }

    public function testReadmeQuotesThePages(): void
    {
        self::assertSame([], self::unquoted((string) file_get_contents(Repository::ROOT . '/README.md')));
    }

    public function testOtherFigureInReadmeIsNoticed(): void
    {
        $readme = (string) file_get_contents(Repository::ROOT . '/README.md');

        self::assertSame(['| Symfony page with 60 cache reads | 1 with APCu | 2 |'], self::unquoted("| Symfony page with 60 cache reads | 1 with APCu | 2 |\n"));
        self::assertSame(['12,345'], self::unquoted("12,345 bytes\n$readme"));
    }

    /** Facts about the machine during a run are published with the figures, so they do not count here. */
    public function testComparisonIsAWholeResult(): void
    {
        $problems = Check::problems(Repository::ROOT . '/docs/figures/compare.jsonl');

        self::assertSame([], array_values(array_filter($problems, static fn(string $problem): bool => !str_starts_with($problem, 'the run was spoiled'))));
    }

    /** After a change of the page, `lab/figures/run report` writes them again. */
    #[TestWith(['compare', 'docs/figures/compare.jsonl'])]
    #[TestWith(['studies', 'docs/report/studies.html'])]
    public function testReportIsWhatThePageWouldBe(string $name, string $data): void
    {
        $page = (string) file_get_contents(Repository::ROOT . "/docs/report/$name.html");
        $expected = (new Page(ResultFile::read(Repository::ROOT . "/$data")))->html();

        self::assertTrue(self::unpacked($expected) === self::unpacked($page), "lab/figures/run report would change docs/report/$name.html");
        self::assertNotSame(self::unpacked($expected), self::unpacked(str_replace('<h1>', '<h1>About ', $page))); // the control
    }

    public function testReportOfTheStudiesIsAWholeResult(): void
    {
        $file = Repository::ROOT . '/docs/report/studies.html';

        self::assertSame([], Check::problems($file));
        self::assertStringContainsString('<h1>Published figures of PHP caches, measured again', (string) file_get_contents($file));
    }

    public function testTheChartShowsWhatWasMeasured(): void
    {
        self::assertSame((string) file_get_contents(self::CHART), $this->chart(Repository::ROOT . '/docs/figures'));
    }

    public function testChangedMeasurementsAreRefused(): void
    {
        $this->expectExceptionMessage('the checksum is not that of the rows');
        $this->chart($this->changed('compare.jsonl', '/("median"): ?[\d.]+/', '$1:987654.0'));
    }

    /** Versions of zlib compress the data differently. */
    private static function unpacked(string $page): string
    {
        return (string) preg_replace_callback(
            '~(?<= id="data">)[^<]*~',
            static fn(array $data): string => (string) gzdecode((string) base64_decode($data[0], true)),
            $page,
        );
    }

    /** @return list<string> lines with requests a second, and large numbers, that are missing in docs/figures.md */
    private static function unquoted(string $readme): array
    {
        $page = (string) file_get_contents(self::PAGE);
        preg_match_all('/^\|.* \| [\d,]+ with.* \| [\d,]+ \|$|(?<![\d,])\d{1,3},\d{3}(?![\d,])/m', $readme, $quotes);

        return array_values(array_filter($quotes[0], static fn(string $quote): bool => !str_contains($page, $quote)));
    }

    /** @return TemporaryDirectory the measurements, with different figures in one file */
    private function changed(string $file, string $figure, string $other): TemporaryDirectory
    {
        $folder = new TemporaryDirectory();
        (new Filesystem())->mirror(Repository::ROOT . '/docs/figures', $folder->path);
        $folder->write($file, (string) preg_replace($figure, $other, (string) file_get_contents("$folder->path/$file")));

        return $folder;
    }

    private function chart(TemporaryDirectory|string $measured): string
    {
        $folder = new TemporaryDirectory();
        $source = \is_string($measured) ? $measured : $measured->path;
        Repository::process([\PHP_BINARY, 'lab/figures/chart.php', "$source/compare.jsonl", "$folder->path/chart.svg"])->mustRun();

        return (string) file_get_contents("$folder->path/chart.svg");
    }

    private function page(TemporaryDirectory|string $measured): string
    {
        $folder = new TemporaryDirectory();
        Repository::process([\PHP_BINARY, 'lab/figures/table.php', \is_string($measured) ? $measured : $measured->path, "$folder->path/page.md"])->mustRun();

        return (string) file_get_contents("$folder->path/page.md");
    }
}
