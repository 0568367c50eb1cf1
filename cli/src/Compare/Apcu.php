<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Annotator;
use Larder\Cli\Report\PublishedFigure;
use Larder\Cli\System\Php;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Internal\Driver\Apcu\Apcu as LoadedApcu;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Process\Process;

/** The APCu that is measured: the installed one, or a file that the user names. Its rows have notes about it. */
final class Apcu implements Annotator
{
    /** Passes the path of the file to all code that starts PHP processes. */
    private const VARIABLE = 'LARDER_APCU';

    /** First version that defragments its memory, and no longer drops all entries if a large one does not fit. */
    private const GOOD = '5.1.25';

    /** @param string|null $file null: APCu is loaded as it is installed */
    private function __construct(private readonly string $version, private readonly ?string $file) {}

    /**
     * @param string|null $file of an apcu.so; null: the installed APCu, also where Larder's module has its place
     * @throws InvalidOptionException when it is none for this PHP
     */
    public static function choose(?string $file): self
    {
        $path = $file === null ? self::replaced() : realpath($file);
        if ($path === false) {
            throw new InvalidOptionException(\sprintf('--apcu: there is no file %s', $file));
        }
        [$version, $error] = $path === null ? ['', ''] : self::load($path);
        if ($file !== null && $version === '') {
            throw new InvalidOptionException(\sprintf(
                '--apcu: PHP %s cannot load APCu from %s: %s',
                Php::version(),
                $file,
                $error === '' ? 'it is another extension' : $error,
            ));
        }
        $isFile = $version !== '';
        putenv(self::VARIABLE . ($isFile ? "=$path" : ''));

        return $isFile ? new self($version, $path) : new self((string) phpversion('apcu'), null);
    }

    /** @return array{string, string} its version, "" if it is no APCu for this PHP; and what PHP says */
    private static function load(string $path): array
    {
        $directory = new TemporaryDirectory();
        $php = Php::without('apcu', $directory->path, [], [$path]);
        $process = new Process($php->command(['-r', 'echo phpversion("apcu");']), null, $php->environment());
        $process->run();
        $version = trim($process->getOutput());
        $isVersion = preg_match('/^\d+\.\d+/', $version) === 1;

        return [$isVersion ? $version : '', explode("\n", trim($process->getErrorOutput()))[0]];
    }

    /**
     * @param \Closure(): string $directory makes an empty one, which must stay as long as processes are started
     * @param array<string, string> $ini
     */
    public static function php(\Closure $directory, array $ini): Php
    {
        $file = getenv(self::VARIABLE);

        return $file === false ? new Php($ini) : Php::without('apcu', $directory(), $ini, [$file]);
    }

    /** The file of the APCu whose place Larder's module has taken; null: there is none, or the module is that file. */
    private static function replaced(): ?string
    {
        $file = LoadedApcu::isLarders() ? realpath(ini_get('extension_dir') . '/apcu.so') : false;
        $isLoaded = $file !== false && str_contains((string) file_get_contents('/proc/self/maps'), " $file\n");

        return $file === false || $isLoaded ? null : $file;
    }

    public function published(Subject $subject): ?PublishedFigure
    {
        return null;
    }

    public function notes(Subject $subject): array
    {
        if ($subject->store !== 'apcu' && ($subject->settings['on'] ?? '') !== 'apcu') {
            return [];
        }

        return [
            ...($this->file === null && LoadedApcu::isLarders() ? [
                'the module apcu is Larder\'s, so this is the engine; name APCu itself with --apcu',
            ] : []),
            ...($this->file !== null ? [\sprintf('APCu %s, from %s', $this->version, $this->file)] : []),
            ...($this->version !== '' && version_compare($this->version, self::GOOD, '<')
                ? [\sprintf(
                    'APCu %s is older than %s, which keeps more when its memory is full',
                    $this->version,
                    self::GOOD,
                )]
                : []),
        ];
    }

    public function historic(): array
    {
        return [];
    }
}
