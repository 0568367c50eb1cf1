<?php

declare(strict_types=1);

namespace Larder\Cli\System;

/**
 * Command lines for measuring PHP processes: this PHP with its settings, opcache enabled, and further settings. PHP
 * does not pass -d settings on to child processes. Those of the engine and of PASSED_ON are passed on here.
 */
final class Php
{
    /** The launcher sets it to the path of the engine that it loads from the clone's build. */
    public const ENGINE_VARIABLE = 'LARDER_EXTENSION';

    private const PASSED_ON = ['opcache.jit', 'opcache.jit_buffer_size', 'zend.assertions'];

    /**
     * @param array<string, string> $ini
     * @param list<string> $extensions paths of further extensions to load
     * @param string|null $scanDirectory folder of the extensions' ini files, if it is not PHP's own
     */
    public function __construct(
        public readonly array $ini = [],
        public readonly array $extensions = [],
        private readonly ?string $scanDirectory = null,
    ) {}

    /**
     * This PHP without one extension, or Larder's module of that name: $directory gets all ini files of PHP's folder
     * without the lines that load it.
     *
     * @param array<string, string> $ini
     * @param list<string> $extensions
     * @param string $directory an empty one, which must exist as long as processes are started
     */
    public static function without(string $extension, string $directory, array $ini = [], array $extensions = []): self
    {
        $name = '(larder_)?' . preg_quote($extension, '~');
        $loads = '~^\s*(zend_)?extension\s*=\s*["\']?([^"\';]*/)?' . $name . '(\.so)?["\']?\s*(;.*)?$~m';
        $scanned = php_ini_scanned_files();
        foreach (\is_string($scanned) ? explode(',', $scanned) : [] as $place => $file) {
            $file = trim($file);
            if ($file !== '') {
                $kept = preg_replace($loads, '', (string) file_get_contents($file));
                file_put_contents(\sprintf('%s/%03d-%s', $directory, $place, basename($file)), $kept);
            }
        }

        return new self($ini, $extensions, $directory);
    }

    /** @param array<string, string> $ini further settings */
    public function with(array $ini): self
    {
        return new self([...$this->ini, ...$ini], $this->extensions, $this->scanDirectory);
    }

    /** @return string|null the path of an extension that dev/setup has only unpacked in a clone */
    public static function unpacked(string $extension): ?string
    {
        $path = \sprintf('%s/var/%s/%s/%s.so', \dirname(__DIR__, 3), $extension, self::version(), $extension);

        return is_file($path) ? $path : null;
    }

    /** The version in the names of packages and directories: "8.2". */
    public static function version(): string
    {
        return \sprintf('%d.%d', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION);
    }

    /**
     * @param list<string> $arguments script and arguments
     * @return list<string>
     */
    public function command(array $arguments): array
    {
        $settings = [
            'opcache.enable' => '1',
            'opcache.enable_cli' => '1',
            'display_errors' => 'stderr',
            'memory_limit' => '1G',
        ];
        foreach (self::PASSED_ON as $setting) {
            $value = ini_get($setting);
            if ($value !== false && $value !== '') {
                $settings[$setting] = $value;
            }
        }
        $engines = \extension_loaded('larder') ? ini_get_all('larder', false) : [];
        $settings += array_filter($engines === false ? [] : $engines, \is_string(...));
        $options = [];
        foreach ([...$settings, ...$this->ini] as $setting => $value) {
            array_push($options, '-d', $setting . '=' . $value);
        }
        $engine = getenv(self::ENGINE_VARIABLE);
        foreach ([...($engine === false ? [] : [$engine]), ...$this->extensions] as $path) {
            array_push($options, '-d', 'extension=' . $path);
        }

        return [\PHP_BINARY, ...$options, ...$arguments];
    }

    /** @return array<string, string> environment variables that the command needs */
    public function environment(): array
    {
        return $this->scanDirectory === null ? [] : ['PHP_INI_SCAN_DIR' => $this->scanDirectory];
    }
}
