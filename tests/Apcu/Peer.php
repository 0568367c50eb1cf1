<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Apcu;

use Larder\ProjectTests\Repository;

/** A PHP with a module named apcu: APCu itself, or one of our builds. It reads no php.ini. */
final class Peer
{
    private readonly string $memory;

    /** @param list<string> $extensions */
    private function __construct(private readonly array $extensions)
    {
        $folder = exec('mktemp -d /dev/shm/larder-apcu-XXXXXX');
        $this->memory = $folder !== false && is_dir($folder) ? $folder : throw new \RuntimeException('there is no folder in /dev/shm');
    }

    /** LARDER_APCU names another build than the installed one. */
    public static function apcu(): self
    {
        $other = getenv('LARDER_APCU');

        return new self([$other === false || $other === '' ? 'apcu' : $other]);
    }

    /** @param 'apcu'|'apcu-careless' $build name for dev/build-extension */
    public static function larder(string $build = 'apcu'): self
    {
        Repository::process(['dev/build-extension', $build])->mustRun();

        return new self([Repository::ROOT . '/extension/modules/larder.so', Repository::ROOT . "/var/$build/modules/apcu.so"]);
    }

    public function __destruct()
    {
        exec('rm -rf ' . escapeshellarg($this->memory));
    }

    /**
     * @param list<string> $arguments of PHP
     * @return \Generator<int, string> its output, by lines
     */
    public function lines(array $arguments): \Generator
    {
        $settings = [
            'apc.enable_cli=1', 'apc.shm_size=64M', 'memory_limit=1G', 'display_errors=1', 'html_errors=0', "larder.path=$this->memory",
            ...array_map(static fn(string $extension): string => "extension=$extension", $this->extensions),
        ];
        $command = [\PHP_BINARY, '-n'];
        foreach ($settings as $setting) {
            array_push($command, '-d', $setting);
        }
        $said = popen(implode(' ', array_map(escapeshellarg(...), [...$command, ...$arguments])) . ' 2>&1 </dev/null', 'r');
        if ($said === false) {
            throw new \RuntimeException('PHP cannot be started');
        }

        try {
            while (($line = fgets($said)) !== false) {
                yield rtrim($line, "\n");
            }
        } finally {
            pclose($said);
        }
    }

    /** @param list<string> $settings */
    public function says(string $code, array $settings = []): string
    {
        $arguments = [];
        foreach ($settings as $setting) {
            array_push($arguments, '-d', $setting);
        }

        return implode("\n", iterator_to_array($this->lines([...$arguments, '-r', $code]), false));
    }
}
