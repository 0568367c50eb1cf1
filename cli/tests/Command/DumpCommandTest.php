<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Command;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Simulates a reboot: the segment is removed between dump and load. */
#[RequiresPhpExtension('larder')]
final class DumpCommandTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';

    private TemporaryDirectory $folder;
    /** @var list<string> */
    private array $php;

    protected function setUp(): void
    {
        $this->folder = new TemporaryDirectory('/dev/shm'); // the engine needs a file system in memory
        $this->php = PhpProcess::commandWithEngine('larder.path=' . $this->folder->path);
    }

    public function testEntriesSurviveARestart(): void
    {
        $classes = $this->folder->write('classes.php', '<?php final class Product { public function __construct(public int $price) {} }');
        $this->php(
            "require '$classes'; larder_store('product', new Product(12)); larder_store_multiple(['a' => [1, 2], 'b' => 'two'], 600);",
        );
        $file = $this->folder->path . '/warm.dump';
        self::assertSame(
            "$file: 2 entries, 0.0 MiB.\n1 skipped: objects whose classes are not here, or not allowed. Name them by --autoload.\n",
            $this->larder('dump', $file),
        );
        self::assertSame("$file: 3 entries, 0.0 MiB.\n", $this->larder('dump', $file, '--autoload', $classes));
        $this->restart();

        self::assertSame(
            "$file: 3 entries loaded; now $file.loaded.\n",
            $this->larder('load', $file, '--autoload', $classes),
        );
        self::assertSame(
            '[[1,2],"two",12]',
            $this->php("require '$classes'; echo json_encode([larder_fetch('a'), larder_fetch('b'), larder_fetch('product')->price]);"),
        );
    }

    public function testRefusalsSayWhatToDo(): void
    {
        $file = $this->folder->path . '/warm.dump';
        self::assertSame("$file is no file. Name one that `larder dump` has written\n", $this->larder('load', $file));
        $this->php('larder_store("k", 1);');
        $this->larder('dump', $file);
        self::assertStringStartsWith(
            "$file is older than the cache, and would bring back what was deleted since. ",
            $this->larder('load', $file),
        );
        self::assertSame(
            "$file: 0 entries loaded; now $file.loaded.\n1 were there already, and stay.\n",
            $this->larder('load', $file, '--into-older'),
        );
        self::assertSame(
            "{$this->folder->path}/none/f cannot be created: Failed to open stream: No such file or directory. Name another file, or make room\n",
            $this->larder('dump', "{$this->folder->path}/none/f"),
        );
    }

    /** A dump by the wrong user, or after a clear, would lose what the last one kept. */
    public function testNothingToDumpKeepsTheOldDump(): void
    {
        $file = $this->folder->path . '/warm.dump';
        $this->php('larder_store("k", 1);');
        $this->larder('dump', $file);
        $this->php('larder_clear();');
        self::assertStringEndsWith(
            ", so $file stays as it was. Dump as the user whose cache it is: --user\n",
            $this->larder('dump', $file),
        );
        $empty = $this->folder->add('empty');
        self::assertStringEndsWith('Is this the right DSN and prefix?' . "\n", $this->larder('dump', '--dsn', "file://$empty", $file));
        $this->restart();
        self::assertStringStartsWith("$file: 1 entries loaded;", $this->larder('load', $file));
        self::assertStringStartsWith('A dump is a file that only its user can read', $this->larder('dump', '-'));
        self::assertFileDoesNotExist('-');
    }

    private function restart(): void
    {
        $segment = $this->php('larder_fetch("k"); echo larder_info()["path"];');
        self::assertStringContainsString($this->folder->path, $segment);
        unlink($segment);
    }

    private function php(string $code): string
    {
        return (new Process([...$this->php, '-r', $code]))->mustRun()->getOutput();
    }

    private function larder(string ...$arguments): string
    {
        $process = new Process([...$this->php, self::ROOT . '/cli/bin/larder', ...array_values($arguments)]);
        $process->run();

        return $process->getErrorOutput() . $process->getOutput();
    }
}
