<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Report\Kind;
use Larder\Cli\System\Php;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Drivers;
use Larder\Internal\Driver\Connection;

/** Every store of the registry that can be measured, by each connection that it has. */
final class Catalog
{
    /** MiB for stores that need a size: memcached's default. */
    private const MEMORY = 64;

    /**
     * Options for servers. With the usual timeout of a second, a server that waits for a processor would count as one
     * that loses values. A failure must be an exception, so that the report can name it. Neither option slows down a
     * call.
     */
    private const PATIENCE = ['timeout' => '20', 'on_failure' => 'throw'];

    /** Servers that are also measured behind local copies in the engine, by TCP, as several machines would use them. */
    private const TIERED = ['memcached', 'redis'];

    public function __construct(private readonly StoreLocations $places) {}

    /** @return non-empty-list<string> */
    public static function names(): array
    {
        $names = array_keys(array_filter(
            Drivers::variants(),
            static fn(Variant $variant): bool => $variant->isMeasured,
        ));

        return $names !== [] ? $names : throw new \LogicException('no stores');
    }

    public static function needsServer(string $store): bool
    {
        return Drivers::variants()[$store]->scope === Scope::Server;
    }

    /**
     * Starts the servers that the store needs.
     *
     * @param string $store one of names()
     * @return list<Target|NotMeasured>
     */
    public function subjects(string $store): array
    {
        $variant = Drivers::variants()[$store];
        $scheme = Drivers::schemeOf($store);

        try {
            $php = $this->php($variant);

            return match (true) {
                $variant->scope === Scope::Server => $this->inServer($variant, $scheme, $php),
                $variant->connections !== [] => $this->inFiles($variant, $scheme, $php),
                default => [new Target($store, null, $this->inMemory($variant, $scheme), Kind::of($store), $php)],
            };
        } catch (\RuntimeException $missing) {
            return [new NotMeasured($store, null, $missing->getMessage())];
        }
    }

    /** The DSN that a process with the settings of Variant opens. Starts the servers that the store needs. */
    public function dsn(string $store): string
    {
        $variant = Drivers::variants()[$store];
        $scheme = Drivers::schemeOf($store);

        return match (true) {
            $variant->scope === Scope::Server
                => $this->at($variant, $scheme, $variant->connections[0] ?? Connection::Tcp),
            $variant->connections !== [] => \sprintf('%s://%s%s', $scheme, $this->places->disk($store), $variant->file),
            default => $this->inMemory($variant, $scheme),
        };
    }

    /** A store that all processes of a user share has no folder of this run, so it needs a namespace. */
    private function inMemory(Variant $variant, string $scheme): string
    {
        return $variant->scope === Scope::Machine && $variant->ini === []
            ? $this->places->inNamespace($scheme)
            : $scheme . ':';
    }

    /** @return list<Target> */
    private function inServer(Variant $variant, string $scheme, Php $php): array
    {
        $targets = [];
        foreach ($variant->connections as $connection) {
            $dsn = $this->at($variant, $scheme, $connection, self::PATIENCE);
            $targets[] = new Target($variant->name, $connection->value, $dsn, Kind::Server, $php);
            if (
                $connection === Connection::Tcp
                && \in_array($variant->name, self::TIERED, true)
                && \extension_loaded('larder')
            ) {
                $dsn = \sprintf('tier:(%s)(%s)', $this->places->inNamespace('larder'), $dsn);
                $targets[] = new Target($variant->name, $connection->value, $dsn, Kind::Server, $php, [
                    'tier' => 'larder',
                ]);
            }
        }

        return $targets;
    }

    /** @param array<string, string> $options */
    private function at(Variant $variant, string $scheme, Connection $connection, array $options = []): string
    {
        $location = $this->places->server($variant->server)->location($connection);
        $query = http_build_query([...$variant->options, ...$options]);

        return \sprintf(
            '%s://%s%s%s',
            $scheme,
            $location,
            $query === '' ? '' : (str_contains($location, '?') ? '&' : '?'),
            $query,
        );
    }

    /** @return list<Target|NotMeasured> */
    private function inFiles(Variant $variant, string $scheme, Php $php): array
    {
        $subjects = [];
        foreach ([
            '' => $php,
            ...array_map(static fn(array $ini): Php => new Php($ini), $variant->otherIni),
        ] as $special => $with) {
            foreach ($variant->connections as $connection) {
                $directory = $variant->name . ($special === '' ? '' : '-' . strtr($special, ' ', '-'));

                try {
                    $path = $connection === Connection::Tmpfs
                        ? $this->places->tmpfs($directory)
                        : $this->places->disk($directory);
                    $subjects[] = new Target(
                        $variant->name,
                        $connection->value,
                        \sprintf('%s://%s%s', $scheme, $path, $variant->file),
                        Kind::Local,
                        $with,
                        $special === '' ? [] : ['php' => $special],
                    );
                } catch (\RuntimeException $none) {
                    $subjects[] = new NotMeasured(
                        $variant->name,
                        $connection->value,
                        $none->getMessage(),
                        $special === '' ? [] : ['php' => $special],
                    );
                }
            }
        }

        return $subjects;
    }

    /**
     * The PHP that measures the store. If Debian's packages of two extensions exclude each other, one of them is only
     * unpacked, and loaded by processes without the other.
     */
    private function php(Variant $variant): Php
    {
        $ini = $variant->ini;
        if (\in_array(Variant::FOLDER, $ini, true)) {
            $folder = $this->places->tmpfs($variant->name);
            // A quarter of the free space: files of other stores must fit too, and a container's /dev/shm has 64 MiB.
            $room = max(8, min(self::MEMORY, intdiv((int) disk_free_space($folder), 4 << 20)));
            $ini = array_map(
                static fn(string $value): string
                    => strtr($value, [Variant::FOLDER => $folder, Variant::ROOM => $room . 'M']),
                $ini,
            );
        }
        if ($variant->extension === 'apcu') {
            return Apcu::php(fn(): string => $this->places->disk('php-apcu-' . bin2hex(random_bytes(4))), $ini);
        }
        if ($variant->excludes === '' || \extension_loaded($variant->extension)) {
            return new Php($ini);
        }
        $unpacked = Php::unpacked($variant->extension) ?? throw new \RuntimeException(\sprintf(
            'the PHP extension %1$s is not loaded. To add it: dev/setup stores (in a clone of Larder), '
                . 'or pecl install %1$s',
            $variant->extension,
        ));

        return Php::without($variant->excludes, $this->places->disk('php-without-' . $variant->excludes), $ini, [
            $unpacked,
        ]);
    }
}
