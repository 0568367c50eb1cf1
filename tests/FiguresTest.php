<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\Report\Check;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/** docs/figures.md and the chart are what lab/figures/run makes of the measurements that are kept beside them. */
final class FiguresTest extends TestCase
{
    private const PAGE = Repository::ROOT . '/docs/figures.md';

    public function testPageMatchesTheMeasurements(): void
    {
        self::assertSame((string) file_get_contents(self::PAGE), $this->page(Repository::ROOT . '/docs/figures'));
    }

    #[TestWith(['compare.jsonl', '/("median"): ?[\d.]+/'])]
    #[TestWith(['engine.jsonl', '/("ours"): ?[\d.]+/'])]
    #[TestWith(['library.jsonl', '/("ours"): ?[\d.]+/'])]
    #[TestWith(['sessions.jsonl', '/("longest_wait_ms"): ?[\d.]+/'])]
    public function testOtherMeasurementsAreNoticed(string $file, string $figure): void
    {
        $folder = new TemporaryDirectory();
        (new Filesystem())->mirror(Repository::ROOT . '/docs/figures', $folder->path);
        $folder->write($file, (string) preg_replace($figure, '$1:987654.0', (string) file_get_contents("$folder->path/$file")));

        self::assertNotSame((string) file_get_contents(self::PAGE), $this->page($folder->path));
    }

    /** What the machine did during a run is written beside its figures, so it does not count here. */
    public function testComparisonIsAWholeResult(): void
    {
        $problems = Check::problems(Repository::ROOT . '/docs/figures/compare.jsonl');

        self::assertSame([], array_values(array_filter($problems, static fn(string $problem): bool => !str_starts_with($problem, 'the run was spoiled'))));
    }

    public function testTheChartShowsWhatWasMeasured(): void
    {
        $folder = new TemporaryDirectory();
        $chart = "$folder->path/chart.svg";
        Repository::process([\PHP_BINARY, 'lab/figures/chart.php', 'docs/figures/compare.jsonl', $chart])->mustRun();

        self::assertFileEquals(Repository::ROOT . '/docs/figures/chart.svg', $chart);
    }

    private function page(string $measured): string
    {
        $folder = new TemporaryDirectory();
        Repository::process([\PHP_BINARY, 'lab/figures/table.php', $measured, "$folder->path/page.md"])->mustRun();

        return (string) file_get_contents("$folder->path/page.md");
    }
}
