<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** dev/setup on a machine that lacks something, with INSTALL=no: it names what is missing and changes nothing. */
final class SetupTest extends TestCase
{
    private const MISSING = 3;

    private TemporaryDirectory $folder;

    protected function setUp(): void
    {
        $this->folder = new TemporaryDirectory();
    }

    public function testNothingIsPrintedWhenNothingIsMissing(): void
    {
        $process = $this->runSetup([], []);

        self::assertSame('', $process->getOutput() . $process->getErrorOutput());
        self::assertSame(0, $process->getExitCode());
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function commands(): iterable
    {
        yield 'a server' => ['memcached', 'stores', 'memcached'];
        yield 'another server' => ['redis-server', 'stores', 'redis-server'];
        yield 'the compiler' => ['gcc', 'build', 'gcc'];
        yield 'a checker' => ['cppcheck', 'lint', 'cppcheck'];
        yield 'all of PHP' => ['php', 'php', '-cli'];
    }

    #[DataProvider('commands')]
    public function testMissingPackagesAreNamed(string $command, string $group, string $package): void
    {
        $process = $this->runSetup([$group], ['PATH' => $this->pathWithout($command)]);

        self::assertSame(self::MISSING, $process->getExitCode(), $process->getErrorOutput());
        self::assertMatchesRegularExpression('/ php[\d.]*' . $package . '\b| ' . $package . '\b/', $process->getErrorOutput());
        self::assertStringContainsString("dev/setup $group", $process->getErrorOutput(), 'it says what would install it');
    }

    public function testMissingExtensionIsNamed(): void
    {
        // The control of a machine whose PHP reads no configuration, and so loads no extension.
        $process = $this->runSetup(['stores'], ['PHP_INI_SCAN_DIR' => $this->folder->path]);

        self::assertSame(self::MISSING, $process->getExitCode());
        foreach (['apcu', 'memcached', 'memcache', 'redis', 'mysql', 'sqlite3'] as $extension) {
            self::assertMatchesRegularExpression("/ php\\d\\.\\d-$extension\\b/", $process->getErrorOutput());
        }
    }

    public function testUnknownGroupIsRefused(): void
    {
        $process = $this->runSetup(['nosuch'], []);

        self::assertSame(1, $process->getExitCode());
        self::assertStringContainsString('Known: php build stores studies test lint', $process->getErrorOutput());
    }

    /**
     * @param list<string> $groups
     * @param array<string, string> $environment
     */
    private function runSetup(array $groups, array $environment): Process
    {
        $process = Repository::process(['dev/setup', ...$groups], ['INSTALL' => 'no'] + $environment);
        $process->run();

        return $process;
    }

    /** A folder with every command of this machine but one. */
    private function pathWithout(string $command): string
    {
        foreach (['/bin', '/usr/bin', '/usr/local/bin'] as $directory) {
            foreach ((array) glob("$directory/*") as $file) {
                $name = basename((string) $file);
                if ($name !== $command && !is_link("{$this->folder->path}/$name")) {
                    symlink((string) $file, "{$this->folder->path}/$name");
                }
            }
        }

        return $this->folder->path;
    }
}
