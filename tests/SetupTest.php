<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** dev/setup on an incomplete machine, with INSTALL=no: it names what is missing and changes nothing. */
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
        $process = $this->runSetup([$group], ['PATH' => Repository::folderOfCommandsBut($command, $this->folder->path)]);

        self::assertSame(self::MISSING, $process->getExitCode(), $process->getErrorOutput());
        self::assertMatchesRegularExpression('/ php[\d.]*' . $package . '\b| ' . $package . '\b/', $process->getErrorOutput());
        self::assertStringContainsString("dev/setup $group", $process->getErrorOutput(), 'it says what would install it');
    }

    public function testMissingExtensionIsNamed(): void
    {
        // The control: a PHP that reads no configuration, and so loads no extension.
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

    public function testPathOfAFreshMachineHasWhatSetupInstalls(): void
    {
        $path = $this->freshPath([]);

        foreach (['sh', 'git', 'make', 'awk', 'php', 'phpize', 'gcc', 'strace'] as $program) {
            self::assertFileExists("$path/$program");
        }
        $process = $this->runSetup([], ['PATH' => $path]);
        self::assertSame('', $process->getOutput() . $process->getErrorOutput());
    }

    /** The control: the program exists, but its package does not. */
    public function testPathOfAFreshMachineHasNoOtherProgram(): void
    {
        $packages = $this->folder->add('dpkg');
        symlink('/var/lib/dpkg/info', "$packages/info");
        $status = (string) file_get_contents('/var/lib/dpkg/status');
        file_put_contents("$packages/status", str_replace("\nPackage: strace\n", "\nPackage: other\n", $status, $count));
        self::assertSame(1, $count);
        $path = $this->freshPath(['DPKG_ADMINDIR' => $packages]);

        self::assertFileExists("$path/gcc");
        self::assertFileExists('/usr/bin/strace');
        self::assertFileDoesNotExist("$path/strace");
    }

    /** @param array<string, string> $environment */
    private function freshPath(array $environment): string
    {
        if (!is_file('/var/lib/dpkg/status')) {
            self::markTestSkipped('it needs Debian\'s list of installed packages');
        }
        $process = Repository::process(['dev/fresh-path', $this->folder->path . '/programs'], $environment);
        $process->mustRun();

        return trim($process->getOutput());
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
}
