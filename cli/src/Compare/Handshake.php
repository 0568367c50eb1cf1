<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** The first line of a measuring process: whether its store can be used, and versions of the process. */
final class Handshake
{
    /**
     * @param string $unavailable why the store cannot be opened, and how to get it; empty when it is open
     * @param array<string, string> $extensions versions by name
     */
    public function __construct(
        public readonly string $unavailable,
        public readonly bool $opcache,
        public readonly bool $jit,
        public readonly array $extensions,
    ) {}

    public static function ofThisProcess(string $unavailable): self
    {
        $status = \function_exists('opcache_get_status') ? @opcache_get_status(false) : false;
        /** @var array{opcache_enabled?: bool, jit?: array{on?: bool}} $status */
        $status = \is_array($status) ? $status : [];
        $extensions = [];
        foreach (get_loaded_extensions() as $name) {
            $extensions[strtolower($name)] = (string) phpversion($name);
        }

        return new self($unavailable, $status['opcache_enabled'] ?? false, $status['jit']['on'] ?? false, $extensions);
    }

    public function line(): string
    {
        return json_encode(get_object_vars($this), \JSON_THROW_ON_ERROR | \JSON_INVALID_UTF8_SUBSTITUTE);
    }

    public static function fromLine(string $line): self
    {
        /** @var array{unavailable: string, opcache: bool, jit: bool, extensions: array<string, string>} $fields */
        $fields = json_decode($line, true, flags: \JSON_THROW_ON_ERROR);

        return new self($fields['unavailable'], $fields['opcache'], $fields['jit'], $fields['extensions']);
    }
}
