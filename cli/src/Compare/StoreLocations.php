<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cache;
use Larder\Cli\FileSystem;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\Server\ServerFailed;
use Larder\Cli\TemporaryDirectory;
use Larder\Exception\CacheException;

/**
 * The places that stores of a run keep their values in: temporary directories and private servers, each made when it is
 * first asked for. close() leaves nothing of them.
 */
final class StoreLocations
{
    private ?TemporaryDirectory $disk = null;
    private ?TemporaryDirectory $tmpfs = null;

    /** @var array<string, MemcachedServer|RedisServer|MariaDbServer|ServerFailed> */
    private array $servers = [];

    private ?string $shmopNamespace = null;

    public function __destruct()
    {
        $this->close();
    }

    /** A directory on a disk; one of its own for each name. */
    public function disk(string $name): string
    {
        return ($this->disk ??= new TemporaryDirectory(FileSystem::disk()))->add($name);
    }

    /** A directory in memory; one of its own for each name. */
    public function tmpfs(string $name): string
    {
        return ($this->tmpfs ??= new TemporaryDirectory(FileSystem::tmpfs()))->add($name);
    }

    /** Shared memory blocks have no directory to be removed with: they are found again by this namespace. */
    public function shmopNamespace(): string
    {
        return $this->shmopNamespace ??= 'compare-' . bin2hex(random_bytes(6));
    }

    /** @throws ServerFailed */
    public function memcached(): MemcachedServer
    {
        return $this->server('memcached', fn(): MemcachedServer => MemcachedServer::start($this->disk('memcached')));
    }

    /** @throws ServerFailed */
    public function redis(): RedisServer
    {
        return $this->server('redis', fn(): RedisServer => RedisServer::start($this->disk('redis')));
    }

    /** @throws ServerFailed */
    public function mariaDb(): MariaDbServer
    {
        return $this->server('mariadb', fn(): MariaDbServer => MariaDbServer::start($this->disk('mariadb'), ['--max-heap-table-size=64M']));
    }

    /** @return array<string, string> versions of the servers that run, by name */
    public function serverVersions(): array
    {
        $versions = [];
        foreach ($this->servers as $name => $server) {
            if (!$server instanceof ServerFailed) {
                $versions[$name] = $server->version;
            }
        }

        return $versions;
    }

    public function close(): void
    {
        foreach ($this->servers as $server) {
            if (!$server instanceof ServerFailed) {
                $server->stop();
            }
        }
        $this->servers = [];
        if ($this->shmopNamespace !== null) {
            try {
                Cache::open('shmop:?namespace=' . $this->shmopNamespace)->clear();
            } catch (CacheException) {
                // Then the measuring processes could not make any either.
            }
            $this->shmopNamespace = null;
        }
        $this->disk?->remove();
        $this->tmpfs?->remove();
        $this->disk = $this->tmpfs = null;
    }

    /**
     * @template T of MemcachedServer|RedisServer|MariaDbServer
     * @param \Closure(): T $start
     * @return T
     * @throws ServerFailed the same at each call, once it could not be started
     */
    private function server(string $name, \Closure $start): MemcachedServer|RedisServer|MariaDbServer
    {
        if (!isset($this->servers[$name])) {
            try {
                $this->servers[$name] = $start();
            } catch (ServerFailed $failed) {
                $this->servers[$name] = $failed;
            }
        }
        $server = $this->servers[$name];
        if ($server instanceof ServerFailed) {
            throw $server;
        }

        /** @var T */
        return $server;
    }
}
