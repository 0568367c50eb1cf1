<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Composer\InstalledVersions;
use Larder\Cli\System\FileSystem;
use Larder\Cli\System\Machine;
use Larder\Cli\System\Php;
use Larder\Cli\Timing\Clock;
use Larder\Drivers;
use Symfony\Component\Process\Process;

/** The machine, PHP and servers of a run. */
final class Environment
{
    /**
     * @param array<string, string> $extensions versions by name
     * @param array<string, string> $servers versions by name
     * @param array<string, string> $fileSystems types by "tmpfs" and "disk"
     * @param array<string, string> $loaded versions of extensions and libraries that the measuring processes have
     *         loaded, by name
     */
    private function __construct(
        public readonly string $larder,
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
        public readonly Clock $clock,
        public readonly array $loaded,
    ) {}

    /**
     * @param array<string, string> $servers versions by name
     * @param int $cores that the run may have used
     * @param int|null $pinnedTo the core that the run was pinned to; null if it was not pinned
     */
    public static function of(array $servers, int $cores, ?int $pinnedTo): self
    {
        $process = new Process(
            (new Php())->command([\dirname(__DIR__, 2) . '/bin/measure.php']),
            input: (new Job('array:', [], new TimeBudget(1, 1)))->line(),
        );
        [$first, $second] = [...explode("\n", $process->mustRun()->getOutput()), ''];
        $handshake = Handshake::fromLine($first);
        /** @var array{resolution: int|float, reading: int|float, loop: int|float} $clock */
        $clock = json_decode($second, true, flags: \JSON_THROW_ON_ERROR);

        return new self(
            self::version(),
            date(\DATE_ATOM),
            \PHP_VERSION,
            \PHP_SAPI,
            $handshake->opcache,
            $handshake->jit,
            Machine::versions($handshake->extensions + self::unpacked()),
            $servers,
            Machine::system(),
            Machine::processor(),
            $cores,
            $pinnedTo,
            self::fileSystems(),
            new Clock(...$clock),
            $handshake->extensions,
        );
    }

    /** @return array<string, mixed> for the report */
    public function toArray(): array
    {
        return [
            'larder' => $this->larder,
            'date' => $this->date,
            'php' => $this->php,
            'sapi' => $this->sapi,
            'opcache' => $this->opcache,
            'jit' => $this->jit,
            'extensions' => (object) $this->extensions,
            'servers' => (object) $this->servers,
            'system' => $this->system,
            'processor' => $this->processor,
            'cores' => $this->cores,
            'pinned_to' => $this->pinnedTo,
            'file_systems' => (object) $this->fileSystems,
            'clock' => [
                'resolution_ns' => $this->clock->resolution,
                'reading_ns' => round($this->clock->reading, 1),
                'empty_loop_ns' => round($this->clock->loop, 1),
            ],
        ];
    }

    /** @return list<string> */
    public function lines(): array
    {
        return [
            \sprintf(
                'PHP %s (%s), opcache %s, JIT %s',
                $this->php,
                $this->sapi,
                $this->opcache ? 'on' : 'off',
                $this->jit ? 'on' : 'off',
            ),
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
            \sprintf(
                'Clock: steps of %.0f ns, a reading takes %.0f ns; the loop takes %.1f ns an operation, subtracted',
                $this->clock->resolution,
                $this->clock->reading,
                $this->clock->loop,
            ),
        ];
    }

    /** In a clone the version is that of the working copy. */
    private static function version(): string
    {
        $version = InstalledVersions::isInstalled('larder/cli')
            ? [InstalledVersions::getPrettyVersion('larder/cli'), InstalledVersions::getReference('larder/cli')]
            : [InstalledVersions::getRootPackage()['pretty_version'], InstalledVersions::getRootPackage()['reference']];

        return rtrim(\sprintf('%s %s', $version[0], substr((string) $version[1], 0, 12)));
    }

    /** @return array<string, string> versions of extensions that only the processes of one store load */
    private static function unpacked(): array
    {
        $versions = [];
        foreach (Drivers::variants() as $variant) {
            $path = $variant->excludes === '' ? null : Php::unpacked($variant->extension);
            if ($path !== null) {
                $process = new Process([
                    \PHP_BINARY,
                    '-n',
                    '-d',
                    'extension=' . $path,
                    '-r',
                    'echo phpversion($argv[1]);',
                    $variant->extension,
                ]);
                $process->run();
                $versions[$variant->extension] = trim($process->getOutput());
            }
        }

        return array_filter($versions, static fn(string $version): bool => $version !== '');
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
