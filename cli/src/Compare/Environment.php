<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\FileSystem;
use Larder\Cli\Machine;

/** What a run was measured on. */
final class Environment
{
    /**
     * @param array<string, string> $extensions versions by name
     * @param array<string, string> $servers versions by name
     * @param array<string, string> $fileSystems types by "tmpfs" and "disk"
     */
    private function __construct(
        public readonly string $date,
        public readonly string $php,
        public readonly string $sapi,
        public readonly bool $opcache,
        public readonly bool $jit,
        public readonly array $extensions,
        public readonly array $servers,
        public readonly string $system,
        public readonly string $processor,
        public readonly int $cores,
        public readonly ?int $pinnedTo,
        public readonly array $fileSystems,
    ) {}

    /**
     * @param array<string, string> $servers versions by name
     * @param int $cores that the run may have used
     * @param int|null $pinnedTo the core that it did use, where it kept to one
     */
    public static function of(Result $result, array $servers, int $cores, ?int $pinnedTo): self
    {
        $extensions = [];
        $opcache = $jit = false;
        foreach ($result->handshakes as $handshake) {
            $extensions += $handshake->extensions;
            // One variant of php-file goes without: it says so in its name.
            $opcache = $opcache || $handshake->opcache;
            $jit = $jit || $handshake->jit;
        }

        return new self(
            date(\DATE_ATOM),
            \PHP_VERSION,
            \PHP_SAPI,
            $opcache,
            $jit,
            Machine::versions($extensions),
            $servers,
            Machine::system(),
            Machine::processor(),
            $cores,
            $pinnedTo,
            self::fileSystems(),
        );
    }

    /** @return list<string> */
    public function lines(): array
    {
        return [
            \sprintf('PHP %s (%s), opcache %s, JIT %s', $this->php, $this->sapi, $this->opcache ? 'on' : 'off', $this->jit ? 'on' : 'off'),
            'Clients: ' . self::list($this->extensions),
            'Servers: ' . ($this->servers === [] ? 'none' : self::list($this->servers)),
            \sprintf(
                '%s, %s, %d core%s%s',
                $this->system,
                $this->processor,
                $this->cores,
                $this->cores === 1 ? '' : 's',
                $this->pinnedTo === null ? '' : ', PHP and servers pinned to one',
            ),
            'Files: ' . self::list($this->fileSystems),
        ];
    }

    /** @param array<string, string> $versions */
    private static function list(array $versions): string
    {
        return implode(', ', array_map(
            static fn(string $name, string $version): string => $name . ' ' . $version,
            array_keys($versions),
            $versions,
        ));
    }

    /** @return array<string, string> */
    private static function fileSystems(): array
    {
        $types = [];
        foreach (['tmpfs' => FileSystem::tmpfs(...), 'disk' => FileSystem::disk(...)] as $kind => $directory) {
            try {
                $types[$kind] = \sprintf('%s (%s)', $directory(), FileSystem::type($directory()));
            } catch (\RuntimeException) {
                $types[$kind] = 'none';
            }
        }

        return $types;
    }
}
