<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/** The table of figures in README is what tools/figures makes of the measurement that is kept beside it. */
final class FiguresTest extends TestCase
{
    private const MEASURED = 'docs/figures/compare.json';

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/figures-' . bin2hex(random_bytes(4));
        (new Filesystem())->mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        (new Filesystem())->remove($this->folder);
    }

    public function testReadmeGivesWhatWasMeasured(): void
    {
        $readme = (string) file_get_contents(Repository::ROOT . '/README.md');

        self::assertSame($readme, $this->written($readme));
    }

    public function testAnEditedFigureIsNoticed(): void
    {
        $readme = (string) file_get_contents(Repository::ROOT . '/README.md');
        $edited = preg_replace('/^\| larder \| [\d.]+/m', '| larder | 1.00', $readme);
        self::assertNotSame($readme, $edited);

        self::assertSame($readme, $this->written((string) $edited));
    }

    private function written(string $page): string
    {
        $file = "$this->folder/README.md";
        file_put_contents($file, $page);
        $process = Repository::process([\PHP_BINARY, 'tools/figures-table.php', self::MEASURED, $file]);

        self::assertSame(0, $process->run(), $process->getErrorOutput());

        return (string) file_get_contents($file);
    }
}
