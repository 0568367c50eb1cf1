<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/** The composer.json of the whole repository and those of the published packages agree. */
final class PackagesTest extends TestCase
{
    /** @return iterable<string, array{string}> */
    public static function packages(): iterable
    {
        yield 'library' => ['library'];
        yield 'cli' => ['cli'];
        yield 'symfony' => ['symfony'];
        yield 'wordpress' => ['wordpress'];
        yield 'polyfill' => ['compat/polyfill'];
        yield 'legacy' => ['compat/legacy'];
        yield 'laravel' => ['laravel'];
        yield 'extension' => ['extension'];
    }

    #[DataProvider('packages')]
    public function testPackageRequirementsMatchTheInstalledVersions(string $package): void
    {
        $here = $this->section('.', 'require') + $this->section('.', 'require-dev');
        foreach ($this->section($package, 'require') as $name => $version) {
            // lab/software/laravel installs Laravel elsewhere.
            if (str_starts_with($name, 'larder/') || str_starts_with($name, 'ext-') || str_starts_with($name, 'illuminate/')) {
                continue;
            }
            self::assertSame($version, $here[$name] ?? null, "$name in $package/composer.json");
        }
    }

    #[DataProvider('packages')]
    public function testEveryPackageHasTheSameLicense(string $package): void
    {
        self::assertSame('MIT', $this->read($package)['license'] ?? null);
        self::assertFileEquals(Repository::ROOT . '/LICENSE', Repository::ROOT . "/$package/LICENSE");
    }

    /** All packages have the same version. */
    public function testPackagesRequireTheLibraryOfTheirVersion(): void
    {
        self::assertSame('self.version', $this->section('cli', 'require')['larder/larder'] ?? null);
        self::assertSame('self.version', $this->section('symfony', 'require')['larder/larder'] ?? null);
        self::assertSame('self.version', $this->section('compat/legacy', 'require')['larder/larder'] ?? null);
        self::assertSame('self.version', $this->section('laravel', 'require')['larder/larder'] ?? null);
    }

    /** @return iterable<string, array{string, string}> */
    public static function builds(): iterable
    {
        yield 'extension' => ['extension', 'extension'];
        yield 'apcu' => ['apcu', 'var/apcu'];
    }

    /** A build in the folder itself, as in the README of each package, leaves nothing to commit. */
    #[DataProvider('builds')]
    public function testBuildOutputsAreIgnored(string $folder, string $built): void
    {
        Repository::process(['dev/build-extension', ...($folder === 'apcu' ? ['apcu'] : [])])->mustRun();
        $names = scandir(Repository::ROOT . "/$built");
        self::assertIsArray($names);
        self::assertContains('configure', $names);
        $tracked = explode("\n", Repository::process(['git', 'ls-files', $folder])->mustRun()->getOutput());
        foreach (array_diff($names, ['.', '..']) as $name) {
            $isTracked = preg_grep('~^' . preg_quote("$folder/$name", '~') . '(/|$)~', $tracked) !== [];
            self::assertTrue($isTracked || Repository::process(['git', 'check-ignore', '--no-index', '-q', "$folder/$name" . (is_dir(Repository::ROOT . "/$built/$name") ? '/' : '')])->run() === 0, "$folder/$name");
        }
    }

    public function testMissingEngineIsNamedWhenTheModuleIsConfigured(): void
    {
        Repository::process(['dev/build-extension', 'apcu'])->mustRun();
        $folder = sys_get_temp_dir() . '/larder-configure-' . bin2hex(random_bytes(4));
        $files = new Filesystem();
        $files->mirror(Repository::ROOT . '/var/apcu', $folder);
        $configure = new Process(['./configure', '--with-larder=/nowhere'], $folder, timeout: 300);
        self::assertNotSame(0, $configure->run());
        $files->remove($folder);
        self::assertStringContainsString('There is no /nowhere/larder_api.h. Install Larder\'s engine for this PHP, or name its folder', $configure->getErrorOutput());
    }

    /** PIE builds the root of the package and installs no PHP packages. */
    public function testExtensionCanBeBuiltFromItsPackage(): void
    {
        $folder = sys_get_temp_dir() . '/larder-archive-' . bin2hex(random_bytes(4));
        $files = new Filesystem();
        $files->mkdir($folder);
        try {
            $archive = new Process(['composer', 'archive', '--working-dir', Repository::ROOT . '/extension', '--dir', $folder, '--file', 'package', '--format', 'tar', '--no-interaction'], null, ['COMPOSER_ALLOW_SUPERUSER' => '1', 'COMPOSER_ROOT_VERSION' => '1.2.3']);
            // Other tests create and remove files there at the same time, which may confuse it.
            for ($try = 1; $archive->run() !== 0 && $try < 5; ++$try) {
            }
            self::assertSame(0, $archive->getExitCode(), $archive->getErrorOutput());
            $packed = array_keys(iterator_to_array(new \PharData("$folder/package.tar")));
            $names = array_map(basename(...), $packed);
        } finally {
            $files->remove($folder);
        }

        foreach (['config.m4', 'larder_arginfo.h', 'core', 'php', 'tests', 'LICENSE', 'README.md'] as $needed) {
            self::assertContains($needed, $names);
        }
        self::assertNotContains('core-tests', $names);
        foreach (array_keys($this->section('extension', 'require')) as $requirement) {
            self::assertMatchesRegularExpression('/^(php|ext-.+)$/', $requirement);
        }
    }

    /** @return array<string, string> */
    private function section(string $package, string $name): array
    {
        $section = [];
        foreach ((array) ($this->read($package)[$name] ?? []) as $key => $value) {
            self::assertIsString($key);
            self::assertIsString($value);
            $section[$key] = $value;
        }

        return $section;
    }

    /** @return array<mixed> */
    private function read(string $package): array
    {
        $read = json_decode((string) file_get_contents(Repository::ROOT . "/$package/composer.json"), true, flags: \JSON_THROW_ON_ERROR);
        self::assertIsArray($read);

        return $read;
    }
}
