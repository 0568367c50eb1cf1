<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/** dev/split creates the packages' repositories from this one: tested on a small one, with real remotes in folders. */
final class SplitTest extends TestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = (string) realpath(sys_get_temp_dir()) . '/larder-split-' . bin2hex(random_bytes(4));
        $files = new Filesystem();
        $files->copy(Repository::ROOT . '/dev/split', "$this->folder/source/dev/split");
        $files->chmod("$this->folder/source/dev/split", 0o755);
        $this->git(['init', '-q', '-b', 'main']);
        foreach (['larder', 'cli', 'symfony', 'laravel', 'polyfill', 'legacy', 'ext-larder', 'ext-apcu'] as $package) {
            $this->git(['init', '-q', '--bare', "$this->folder/remotes/$package.git"]);
        }
        $this->write(['library/composer.json' => '{}', 'cli/composer.json' => '{}', 'symfony/composer.json' => '{}', 'laravel/composer.json' => '{}', 'compat/polyfill/composer.json' => '{}', 'compat/legacy/composer.json' => '{}', 'extension/composer.json' => '{}', 'apcu/composer.json' => '{}']);
        $this->release('1.0.0');
    }

    protected function tearDown(): void
    {
        (new Filesystem())->remove($this->folder);
    }

    public function testEachPackageHasItsFolderUnderItsVersion(): void
    {
        self::assertSame('', $this->split('v1.0.0'));
        $this->write(['library/src/New.php' => '<?php', 'README.md' => 'of no package']);
        $this->release('1.1.0');
        self::assertSame('', $this->split('v1.1.0'));
        self::assertSame('', $this->split('v1.0.0'), 'once more, after others');
        self::assertSame('', $this->split());

        self::assertSame(['composer.json'], $this->files('larder', 'v1.0.0'));
        self::assertSame(['composer.json', 'src/New.php'], $this->files('larder', 'v1.1.0'));
        self::assertSame(['composer.json', 'src/New.php'], $this->files('larder', 'main'));
        self::assertSame(['composer.json'], $this->files('cli', 'v1.1.0'));
        self::assertSame(['composer.json'], $this->files('polyfill', 'v1.1.0'));
        self::assertSame(['composer.json'], $this->files('legacy', 'v1.1.0'));
        self::assertSame(['composer.json', 'php/php_larder.h'], $this->files('ext-larder', 'v1.1.0'));
        self::assertSame(['composer.json'], $this->files('ext-apcu', 'v1.1.0'));
    }

    /** @return iterable<string, array{string, string}> */
    public static function wrong(): iterable
    {
        yield 'no version' => ['1.0.0', '1.0.0 is not a version'];
        yield 'no tag' => ['v9.9.9', 'there is no tag v9.9.9'];
        yield 'a tag of another version' => ['v1.0.1', 'does not say #define LARDER_VERSION "1.0.1"'];
    }

    #[DataProvider('wrong')]
    public function testInvalidReleaseIsRefused(string $tag, string $message): void
    {
        $this->git(['tag', 'v1.0.1']);

        self::assertStringContainsString($message, $this->split($tag));
        self::assertSame([], $this->files('larder', $tag));
    }

    public function testReleaseIsInTheChangelog(): void
    {
        $this->write(['CHANGELOG.md' => '## [Unreleased]']);
        $this->git(['tag', '--force', 'v1.0.0']);

        self::assertStringContainsString('CHANGELOG.md of v1.0.0 has no ## [1.0.0]', $this->split('v1.0.0'));
    }

    private function release(string $version): void
    {
        $this->write(['extension/php/php_larder.h' => "#define LARDER_VERSION \"$version\"\n", 'CHANGELOG.md' => "## [$version] - 2030-01-01\n"]);
        $this->git(['tag', "v$version"]);
    }

    /** @param array<string, string> $contents by file */
    private function write(array $contents): void
    {
        foreach ($contents as $file => $content) {
            (new Filesystem())->dumpFile("$this->folder/source/$file", $content);
        }
        $this->git(['add', '.']);
        $this->git(['-c', 'user.name=Somebody', '-c', 'user.email=somebody@example.org', 'commit', '-q', '-m', 'Change ' . implode(', ', array_keys($contents))]);
    }

    /** @return string its error message */
    private function split(string ...$tag): string
    {
        $process = new Process(["$this->folder/source/dev/split", "$this->folder/remotes", ...$tag], timeout: 60);

        return $process->run() === 0 ? '' : $process->getErrorOutput();
    }

    /** @return list<string> */
    private function files(string $package, string $version): array
    {
        $process = new Process(['git', 'ls-tree', '-r', '--name-only', $version], "$this->folder/remotes/$package.git");
        $process->run();

        return array_values(array_filter(explode("\n", $process->getOutput()), static fn(string $file): bool => $file !== ''));
    }

    /** @param list<string> $arguments */
    private function git(array $arguments): void
    {
        (new Process(['git', ...$arguments], "$this->folder/source"))->mustRun();
    }
}
