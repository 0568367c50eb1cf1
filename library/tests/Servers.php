<?php

declare(strict_types=1);

namespace Larder\Tests;

use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\Driver\Redis\Topology\RedisNodes;

/** The real servers of a test run. Each is started when first requested, once, and ends with the run. */
final class Servers
{
    /** A DSN option: a server that stands still with the whole machine for a while does not count as down. */
    public const PATIENTLY = '&timeout=30';

    private static ?TemporaryDirectory $directory = null;
    private static ?TemporaryDirectory $memory = null;
    private static ?MemcachedServer $memcached = null;
    private static ?RedisServer $redis = null;
    private static ?MariaDbServer $mariaDb = null;
    private static ?RedisNodes $redisCluster = null;
    private static ?RedisNodes $watchedRedis = null;
    private static ?string $run = null;

    public static function memcached(): MemcachedServer
    {
        return self::$memcached ??= MemcachedServer::start(self::directory('memcached'));
    }

    /** Accepts values up to 1 MB. */
    public static function redis(): RedisServer
    {
        return self::$redis ??= RedisServer::start(self::directory('redis'), ['--proto-max-bulk-len', '1mb']);
    }

    /** Three masters, without replicas. */
    public static function redisCluster(): RedisNodes
    {
        return self::$redisCluster ??= RedisNodes::cluster(self::directory('redis-cluster'), 3);
    }

    /** A master that one sentinel watches. */
    public static function watchedRedis(): RedisNodes
    {
        return self::$watchedRedis ??= RedisNodes::watched(self::directory('redis-watched'), 0, 1);
    }

    /** @return iterable<string, array{string}> DSNs of all clients for them, for tests that use each */
    public static function clients(): iterable
    {
        yield 'memcached' => ['memcached://%s'];
        yield 'memcache' => ['memcache://%s'];
        yield 'phpredis' => ['redis://%s'];
        yield 'Predis' => ['redis://%s?client=predis'];
    }

    /** A new server for such a DSN; the caller stops it. */
    public static function another(string $address): MemcachedServer|RedisServer
    {
        $directory = self::directory('another-' . bin2hex(random_bytes(4)));

        return str_starts_with($address, 'redis') ? RedisServer::start($directory) : MemcachedServer::start($directory);
    }

    /**
     * Accepts packets up to 2 MB, and MEMORY tables up to 8 MB. Its data are in memory, because a disk may be busy for
     * seconds.
     */
    public static function mariaDb(): MariaDbServer
    {
        if (self::$mariaDb === null) {
            self::$memory = new TemporaryDirectory('/dev/shm');
            self::$mariaDb = MariaDbServer::start(
                self::$memory->path,
                ['--max-allowed-packet=2M', '--max-heap-table-size=8M'],
            );
        }

        return self::$mariaDb;
    }

    /** Stops a process, and returns when it stands still. SIGCONT resumes it. */
    public static function freeze(int $process): void
    {
        posix_kill($process, \SIGSTOP);
        while (preg_match('/^State:\tT/m', (string) file_get_contents(\sprintf('/proc/%d/status', $process))) !== 1) {
            usleep(1000);
        }
    }

    /**
     * Waits until the condition is true, a minute at most.
     *
     * @param \Closure(): bool $isSo
     * @return bool true if it is
     */
    public static function await(\Closure $isSo): bool
    {
        for ($end = microtime(true) + 60; !$isSo(); usleep(1_000)) {
            if (microtime(true) > $end) {
                return false;
            }
        }

        return true;
    }

    /** Waits until another process has created a file, a minute at most. */
    public static function awaitFile(string $file): void
    {
        $isThere = self::await(static function () use ($file): bool {
            clearstatcache();

            return file_exists($file);
        });
        $isThere || throw new \RuntimeException("no other process has made $file within a minute");
    }

    /** The DSN with an option, so that a server that stands still with the whole machine does not count as down. */
    public static function patiently(string $dsn): string
    {
        return str_contains($dsn, 'timeout=')
            ? $dsn
            : $dsn . (str_contains($dsn, '?') ? self::PATIENTLY : '?' . substr(self::PATIENTLY, 1));
    }

    /** Eight letters and digits that no other test run has. */
    public static function run(): string
    {
        return self::$run ??= bin2hex(random_bytes(4));
    }

    /** A new directory, removed at the end of the run. */
    public static function directory(string $name): string
    {
        self::$directory ??= new TemporaryDirectory();
        $path = \sprintf('%s/%s', self::$directory->path, $name);
        if (!is_dir($path)) {
            mkdir($path, 0o700);
        }

        return $path;
    }
}
