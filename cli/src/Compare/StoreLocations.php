<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cache;
use Larder\Cli\Server\Server;
use Larder\Cli\System\FileSystem;
use Larder\Cli\System\ServerFailed;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Exception\CacheException;

/**
 * The places of a run's values: temporary directories and private servers. Each is created when it is first asked for.
 * close() removes them all.
 */
final class StoreLocations
{
    private ?TemporaryDirectory $disk = null;
    private ?TemporaryDirectory $tmpfs = null;

    /** @var array<string, Server|ServerFailed> */
    private array $servers = [];

    /** @var list<string> DSNs that close() clears */
    private array $namespaces = [];

    /** @var list<\Closure(): void> */
    private array $ends = [];

    /** @var array<string, self> */
    private array $others = [];

    public function __destruct()
    {
        $this->close();
    }

    /** A directory on a disk, a separate one for each name. */
    public function disk(string $name): string
    {
        return ($this->disk ??= new TemporaryDirectory(FileSystem::disk()))->add($name);
    }

    /** A directory in memory, a separate one for each name. */
    public function tmpfs(string $name): string
    {
        return ($this->tmpfs ??= new TemporaryDirectory(FileSystem::tmpfs()))->add($name);
    }

    /** A DSN with a namespace of this run: shared memory has no directory that could be removed. */
    public function inNamespace(string $scheme): string
    {
        return $this->namespaces[] = \sprintf('%s:?namespace=compare-%s', $scheme, bin2hex(random_bytes(6)));
    }

    /**
     * Separate directories and servers for some blocks of the run, the same ones for the same name. close() ends them
     * too.
     */
    public function others(string $name): self
    {
        return $this->others[$name] ??= new self();
    }

    /** @param \Closure(): void $end called by close(), for things that are neither a directory nor a Server */
    public function endWith(\Closure $end): void
    {
        $this->ends[] = $end;
    }

    /**
     * @param string $launcher "Redis" for RedisServer
     * @param list<string> $options of the server program; each list of options starts another server
     * @throws ServerFailed if it cannot be started, now or in an earlier call
     */
    public function server(string $launcher, array $options = []): Server
    {
        $name = implode(' ', [$launcher, ...$options]);
        if (!isset($this->servers[$name])) {
            $class = \sprintf('Larder\Cli\Server\%sServer', $launcher);

            try {
                $this->servers[$name] = is_a($class, Server::class, true)
                    ? $class::start(
                        $this->disk(strtolower($launcher) . ($options === [] ? '' : '-' . hash('crc32b', $name))),
                        $options,
                    )
                    : new ServerFailed(\sprintf('there is no class %s to start its server', $class));
            } catch (ServerFailed $failed) {
                $this->servers[$name] = $failed;
            }
        }
        $server = $this->servers[$name];

        return $server instanceof Server ? $server : throw $server;
    }

    /** The servers for display: "memcached, Redis; MariaDB failed". */
    public function servers(): string
    {
        $running = $failed = [];
        foreach ($this->servers as $name => $server) {
            $title = strtr(
                explode(' ', $name)[0],
                ['Memcached' => 'memcached', 'MariaDb' => 'MariaDB', 'PostgreSql' => 'PostgreSQL'],
            );
            $server instanceof Server ? $running[$title] = true : $failed[$title] = true;
        }
        $parts = [
            ...($running === [] ? [] : [implode(', ', array_keys($running))]),
            ...($failed === [] ? [] : [implode(', ', array_keys($failed)) . ' failed']),
        ];

        return implode('; ', $parts);
    }

    /** @return array<string, string> versions of the servers that run, by name */
    public function serverVersions(): array
    {
        $versions = array_merge(...array_map(
            static fn(self $other): array => $other->serverVersions(),
            array_values($this->others),
        ));
        foreach ($this->servers as $name => $server) {
            if ($server instanceof Server) {
                $versions[strtolower(explode(' ', $name)[0])] = $server->version();
            }
        }

        return $versions;
    }

    public function close(): void
    {
        foreach ($this->others as $other) {
            $other->close();
        }
        foreach ($this->ends as $end) {
            $end();
        }
        foreach ($this->servers as $server) {
            if ($server instanceof Server) {
                $server->stop();
            }
        }
        foreach ($this->namespaces as $dsn) {
            try {
                Cache::open($dsn)->clear();
            } catch (CacheException) {
                // If this cannot be opened, the measuring processes have stored nothing in it either.
            }
        }
        $this->servers = $this->namespaces = $this->ends = $this->others = [];
        $this->disk?->remove();
        $this->tmpfs?->remove();
        $this->disk = $this->tmpfs = null;
    }
}
