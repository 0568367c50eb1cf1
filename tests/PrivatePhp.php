<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\Finder\Finder;
use Symfony\Component\Process\Process;

/** Copies of this machine's PHP and PHP-FPM, with their own folders for extensions and ini files. */
final class PrivatePhp
{
    public readonly string $folder;
    private readonly TemporaryDirectory $directory;
    private readonly Filesystem $files;

    /** @param bool $loadsExtensions true to also load the extensions of this machine's PHP */
    public function __construct(private readonly bool $loadsExtensions = false)
    {
        $this->directory = new TemporaryDirectory();
        $this->folder = $this->directory->path . '/php';
        $this->files = new Filesystem();
        $version = \PHP_MAJOR_VERSION . '.' . \PHP_MINOR_VERSION;
        $this->files->copy(\PHP_BINARY, "$this->folder/bin/php");
        $this->files->copy("/usr/sbin/php-fpm$version", "$this->folder/sbin/php-fpm");
        foreach (['phpize', 'php-config'] as $program) {
            $this->files->symlink("/usr/bin/$program$version", "$this->folder/bin/$program");
        }
        $extensions = Finder::create()->files()->in((string) \ini_get('extension_dir'));
        foreach ($extensions->name('*.so')->notName('*larder*') as $file) {
            $this->files->symlink($file->getPathname(), "$this->folder/extensions/{$file->getFilename()}");
        }
        $this->write('conf.d/00-folder.ini', "extension_dir=$this->folder/extensions\n");
    }

    public function write(string $file, string $content): void
    {
        $this->files->dumpFile("$this->folder/$file", $content);
    }

    public function remove(string $file): void
    {
        $this->files->remove("$this->folder/$file");
    }

    /** @return array<string, string> environment in which make, and the shell, find this PHP */
    public function environment(): array
    {
        return [
            'PHP' => "$this->folder/bin/php",
            'PHP_INI_SCAN_DIR' => ($this->loadsExtensions ? ':' : '') . "$this->folder/conf.d",
            'PATH' => "$this->folder/bin:" . getenv('PATH'),
        ];
    }

    /** @param string ...$variables such as WITH=apcu */
    public function make(string $target, string ...$variables): Process
    {
        $make = Repository::process(['make', $target, ...array_values($variables)], $this->environment(), 900);
        $make->run();

        return $make;
    }

    /** Returns a process that is not started yet. */
    public function run(string $code): Process
    {
        return new Process(["$this->folder/bin/php", '-r', $code], env: $this->environment());
    }

    /** @return array<string, string> its files, by path: content of text, and hashes of extensions */
    public function state(): array
    {
        $state = [];
        foreach (Finder::create()->in("$this->folder/conf.d")->in("$this->folder/extensions")->sortByName() as $file) {
            $state[$file->getRelativePathname()] = match (true) {
                $file->isDir() => 'folder',
                $file->getExtension() === 'so' => (string) md5_file($file->getPathname()),
                default => $file->getContents(),
            };
        }

        return $state;
    }
}
