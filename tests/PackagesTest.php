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
        yield 'polyfill' => ['polyfill'];
        yield 'legacy' => ['legacy'];
        yield 'extension' => ['extension'];
    }

    #[DataProvider('packages')]
    public function testPackageRequirementsMatchTheInstalledVersions(string $package): void
    {
        $here = $this->section('.', 'require') + $this->section('.', 'require-dev');
        foreach ($this->section($package, 'require') as $name => $version) {
            if (str_starts_with($name, 'larder/') || str_starts_with($name, 'ext-')) {
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

    /** All packages are of one release. */
    public function testPackagesRequireTheLibraryOfTheirVersion(): void
    {
        self::assertSame('self.version', $this->section('cli', 'require')['larder/larder'] ?? null);
        self::assertSame('self.version', $this->section('legacy', 'require')['larder/larder'] ?? null);
    }

    /** PIE builds the root of the package and installs no PHP packages. */
    public function testExtensionCanBeBuiltFromItsPackage(): void
    {
        $folder = sys_get_temp_dir() . '/larder-archive-' . bin2hex(random_bytes(4));
        $files = new Filesystem();
        $files->mkdir($folder);
        try {
            $archive = new Process(['composer', 'archive', '--working-dir', Repository::ROOT . '/extension', '--dir', $folder, '--file', 'package', '--format', 'tar', '--no-interaction'], null, ['COMPOSER_ALLOW_SUPERUSER' => '1', 'COMPOSER_ROOT_VERSION' => '1.2.3']);
            $archive->mustRun();
            $packed = array_keys(iterator_to_array(new \PharData("$folder/package.tar")));
            $names = array_map(basename(...), $packed);
        } finally {
            $files->remove($folder);
        }

        foreach (['config.m4', 'larder_arginfo.h', 'larder.stub.php', 'core', 'php', 'tests', 'LICENSE', 'README.md'] as $needed) {
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
