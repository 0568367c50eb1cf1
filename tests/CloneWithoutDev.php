<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Process\Process;

/**
 * A clone as `make compare` prepares it: with the packages that the command needs, and without those of the tests. They
 * are copied from those installed here, the engine is the one built here, and the network is not used.
 */
final class CloneWithoutDev
{
    public readonly string $folder;

    public function __construct()
    {
        $this->folder = (string) realpath(sys_get_temp_dir()) . '/larder-clone-' . bin2hex(random_bytes(4));
        $files = new Filesystem();
        foreach (['library', 'cli'] as $package) {
            $files->mirror(Repository::ROOT . "/$package", "$this->folder/$package");
        }
        foreach (['larder', 'dev/php-settings.sh', 'dev/php-settings.php'] as $script) {
            $files->copy(Repository::ROOT . "/$script", "$this->folder/$script");
        }
        $files->mkdir("$this->folder/extension/modules");
        $files->symlink((string) realpath(Repository::ROOT . '/extension/modules/larder.so'), "$this->folder/extension/modules/larder.so");
        $composer = json_decode((string) file_get_contents(Repository::ROOT . '/composer.json'), true, flags: \JSON_THROW_ON_ERROR);
        \assert(\is_array($composer));
        $composer['repositories'] = EmptyProject::repositoriesOfWhatIsInstalledHere();
        $files->dumpFile("$this->folder/composer.json", json_encode($composer, \JSON_THROW_ON_ERROR));
        $this->run(['composer', 'install', '--no-interaction', '--quiet', '--no-dev'])->mustRun();
    }

    public function __destruct()
    {
        (new Filesystem())->remove($this->folder);
    }

    /**
     * Returns a process that is not started yet, in the folder of the clone.
     *
     * @param list<string> $command
     */
    public function run(array $command): Process
    {
        return new Process($command, $this->folder, EmptyProject::environment($this->folder), timeout: 300);
    }
}
