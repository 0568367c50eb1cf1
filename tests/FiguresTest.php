<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The tables of figures in the pages are what dev/figures makes of the measurements that are kept beside them. */
final class FiguresTest extends TestCase
{
    /** What was measured, by the page that gives it. */
    private const MEASURED = ['docs/compare.md' => 'docs/figures/compare.jsonl', 'docs/figures.md' => 'docs/figures/library.jsonl'];

    /** @return iterable<string, array{string}> */
    public static function pages(): iterable
    {
        foreach (array_keys(self::MEASURED) as $page) {
            yield $page => [$page];
        }
    }

    #[DataProvider('pages')]
    public function testPageMatchesTheMeasurements(string $page): void
    {
        $text = (string) file_get_contents(Repository::ROOT . "/$page");

        self::assertSame($text, $this->written($page, $text));
    }

    #[DataProvider('pages')]
    public function testEditedFigureIsNoticed(string $page): void
    {
        $text = (string) file_get_contents(Repository::ROOT . "/$page");
        $edited = preg_replace('/^(\| (?:larder|Cache::get, 10b \| larder_fetch) \|) [\d.]+/m', '$1 1.00', $text);
        self::assertNotSame($text, $edited);

        self::assertSame($text, $this->written($page, (string) $edited));
    }

    public function testTheChartShowsWhatWasMeasured(): void
    {
        $folder = new TemporaryDirectory();
        $chart = "$folder->path/chart.svg";
        Repository::process([\PHP_BINARY, 'dev/figures-chart.php', 'docs/figures/compare.jsonl', $chart])->mustRun();

        self::assertFileEquals(Repository::ROOT . '/docs/figures/chart.svg', $chart);
    }

    private function written(string $page, string $text): string
    {
        $folder = new TemporaryDirectory();
        $file = $folder->write('page.md', $text);
        $process = Repository::process([\PHP_BINARY, 'dev/figures-table.php', self::MEASURED[$page], $file]);

        self::assertSame(0, $process->run(), $process->getErrorOutput());

        return (string) file_get_contents($file);
    }
}
