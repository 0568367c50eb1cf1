<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/**
 * A project of a user in a folder of its own, which requires the published packages. Composer gets them from the
 * folders of this repository, and their dependencies from the packages installed here. The network is not used.
 */
final class EmptyProject
{
    /** Any number: all packages have the same version. */
    private const VERSION = '1.2.3';

    public readonly string $folder;

    /** @param bool $published true if its Composer knows the packages, like after a release */
    public function __construct(bool $published = true)
    {
        $this->folder = (string) realpath(sys_get_temp_dir()) . '/larder-project-' . bin2hex(random_bytes(4));
        (new Filesystem())->dumpFile("$this->folder/composer.json", json_encode([
            'name' => 'somebody/project',
            'repositories' => [
                ...($published ? [self::repository('{library,cli,symfony,compat/legacy,compat/polyfill}', ['larder/larder' => self::VERSION, 'larder/cli' => self::VERSION, 'larder/symfony' => self::VERSION, 'larder/legacy' => self::VERSION, 'larder/polyfill' => self::VERSION])] : []),
                ...self::repositoriesOfWhatIsInstalledHere(),
            ],
        ], \JSON_THROW_ON_ERROR));
    }

    public function __destruct()
    {
        (new Filesystem())->remove($this->folder);
    }

    /** @param list<string> $options such as "--dev" */
    public function require(string $package, array $options = []): void
    {
        $this->run(['composer', 'require', '--no-interaction', '--no-audit', '--quiet', ...$options, $package])->mustRun();
    }

    /**
     * Returns a process that is not started yet, in the folder of the project.
     *
     * @param list<string> $command
     */
    public function run(array $command): Process
    {
        return new Process($command, $this->folder, self::environment($this->folder), timeout: 300);
    }

    /** @return array<string, string> for Composer: no network, and no settings of the user who runs the tests */
    public static function environment(string $folder): array
    {
        return ['COMPOSER_ALLOW_SUPERUSER' => '1', 'COMPOSER_DISABLE_NETWORK' => '1', 'COMPOSER_HOME' => "$folder/home"];
    }

    /** @return list<array<string, mixed>> for a composer.json: only the packages in vendor/ of this repository */
    public static function repositoriesOfWhatIsInstalledHere(): array
    {
        return [self::repository('vendor/*/*', self::installedHere()), ['packagist.org' => false]];
    }

    /** Runs a PHP script in this project, with Composer's autoloader, and returns its output. */
    public function php(string $code): string
    {
        $process = $this->run([\PHP_BINARY, '-d', 'display_errors=1', '-d', 'error_reporting=-1', '-r', "require 'vendor/autoload.php'; $code"]);

        return $process->mustRun()->getOutput();
    }

    /**
     * @param array<string, string> $versions
     * @return array<string, mixed>
     */
    private static function repository(string $folder, array $versions): array
    {
        // Copied like an archive: without files that .gitattributes excludes.
        return ['type' => 'path', 'url' => realpath(Repository::ROOT) . "/$folder", 'options' => ['symlink' => false, 'versions' => $versions]];
    }

    /** @return array<string, string> */
    private static function installedHere(): array
    {
        $versions = [];
        foreach (\Composer\InstalledVersions::getInstalledPackages() as $package) {
            $version = \Composer\InstalledVersions::getPrettyVersion($package);
            if ($version !== null) {
                $versions[$package] = $version;
            }
        }

        return $versions;
    }
}
