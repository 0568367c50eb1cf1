<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** The composer.json of the whole repository and those of the published packages agree. */
final class PackagesTest extends TestCase
{
    /** @return iterable<string, array{string}> */
    public static function packages(): iterable
    {
        yield 'library' => ['library'];
        yield 'tool' => ['tool'];
        yield 'extension' => ['extension'];
    }

    #[DataProvider('packages')]
    public function testWhatAPackageRequiresIsInstalledHereInTheSameVersions(string $package): void
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
