<?php

declare(strict_types=1);

namespace Larder;

use Larder\Contract\Store;
use Larder\Driver\Driver;
use Larder\Driver\Variant;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Dsn\Schemes;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Internal\Decorator\Tier\TierDriver;
use Larder\Internal\Driver\Apcu\ApcuDriver;
use Larder\Internal\Driver\Auto\AutoDriver;
use Larder\Internal\Driver\BorrowedClient;
use Larder\Internal\Driver\ClientDriver;
use Larder\Internal\Driver\Engine\EngineDriver;
use Larder\Internal\Driver\File\FileDriver;
use Larder\Internal\Driver\Legacy\Shmop\ShmopDriver;
use Larder\Internal\Driver\Legacy\Yac\YacDriver;
use Larder\Internal\Driver\Memcached\BorrowedMemcachedDriver;
use Larder\Internal\Driver\Memcached\MemcachedDriver;
use Larder\Internal\Driver\Memory\ArrayDriver;
use Larder\Internal\Driver\MySql\MySqlDriver;
use Larder\Internal\Driver\None\NoneDriver;
use Larder\Internal\Driver\Pdo\PdoDriver;
use Larder\Internal\Driver\PhpFile\PhpFileDriver;
use Larder\Internal\Driver\PostgreSql\PostgreSqlDriver;
use Larder\Internal\Driver\Redis\BorrowedRedisDriver;
use Larder\Internal\Driver\Redis\RedisDriver;
use Larder\Internal\Driver\Redis\Topology\ClusterDriver;
use Larder\Internal\Driver\Redis\Topology\SentinelDriver;
use Larder\Internal\Driver\Sqlite\SqliteDriver;

/** The registry of drivers, the only list of stores. A driver is created on first use. */
final class Drivers implements Schemes
{
    /** By scheme, in the order of lists. */
    private const BUILT_IN = [
        'auto' => AutoDriver::class,
        'larder' => EngineDriver::class,
        'apcu' => ApcuDriver::class,
        'yac' => YacDriver::class,
        'shmop' => ShmopDriver::class,
        'memcached' => MemcachedDriver::class,
        'redis' => RedisDriver::class,
        'redis+cluster' => ClusterDriver::class,
        'redis+sentinel' => SentinelDriver::class,
        'mysql' => MySqlDriver::class,
        'pgsql' => PostgreSqlDriver::class,
        'sqlite' => SqliteDriver::class,
        'file' => FileDriver::class,
        'php-file' => PhpFileDriver::class,
        'array' => ArrayDriver::class,
        'none' => NoneDriver::class,
        'tier' => TierDriver::class,
    ];

    /** Aliases of schemes: the scheme, and true if the alias means TLS. */
    private const ALIASES = [
        'rediss' => ['redis', true],
        'valkey' => ['redis', false],
        'valkeys' => ['redis', true],
        'rediss+cluster' => ['redis+cluster', true],
        'valkey+cluster' => ['redis+cluster', false],
        'valkeys+cluster' => ['redis+cluster', true],
        'rediss+sentinel' => ['redis+sentinel', true],
        'valkey+sentinel' => ['redis+sentinel', false],
        'valkeys+sentinel' => ['redis+sentinel', true],
        'memcache' => ['memcached', false],
        'memcacheds' => ['memcached', true],
    ];

    /** What auto: looks for, in this order. Their drivers open a DSN of auto:, too. */
    public const AUTOMATIC = ['larder', 'apcu', 'file'];

    /** The drivers of clients that an application passes to Cache::over(). */
    private const CLIENTS = [BorrowedRedisDriver::class, BorrowedMemcachedDriver::class, PdoDriver::class];

    /** @var array<string, Driver> drivers used so far, and those of other packages, by scheme */
    private static array $drivers = [];

    /**
     * Adds the driver of another package, for this process. Call it in a file that Composer loads ("autoload":
     * {"files": […]}), so that every request and command knows its DSNs.
     *
     * @throws \InvalidArgumentException if its scheme, or the name of one of its stores, is malformed or taken
     */
    public static function register(Driver $driver): void
    {
        $scheme = $driver->scheme()->name;
        if (preg_match('~^[a-z][a-z0-9+.-]*$~D', $scheme) !== 1) {
            throw new \InvalidArgumentException(\sprintf(
                'The scheme "%s" of %s is malformed: it is a lower-case letter and then lower-case letters, digits, '
                    . '+, . and -',
                $scheme,
                $driver::class,
            ));
        }
        if (isset(self::$drivers[$scheme]) || isset(self::BUILT_IN[$scheme]) || isset(self::ALIASES[$scheme])) {
            throw new \InvalidArgumentException(
                \sprintf('The scheme "%s" of %s is taken by %s', $scheme, $driver::class, self::get($scheme)::class),
            );
        }
        $taken = self::variants();
        foreach ($driver->variants() as $variant) {
            if (preg_match('~^[a-z][a-z0-9-]*$~D', $variant->name) !== 1) {
                throw new \InvalidArgumentException(\sprintf(
                    'A store name of %s is malformed: it is a lower-case letter and then lower-case letters, '
                        . 'digits and -',
                    $driver::class,
                ));
            }
            if (isset($taken[$variant->name])) {
                throw new \InvalidArgumentException(\sprintf(
                    'The store name "%s" of %s is taken by %s',
                    $variant->name,
                    $driver::class,
                    $taken[$variant->name]->store,
                ));
            }
            $taken[$variant->name] = $variant;
        }
        self::$drivers[$scheme] = $driver;
    }

    /** @param string $scheme of a parsed Dsn, so it is known */
    public static function get(string $scheme): Driver
    {
        $scheme = self::ALIASES[$scheme][0] ?? $scheme;

        return self::$drivers[$scheme] ??= new (self::BUILT_IN[$scheme] ?? throw new \OutOfBoundsException(\sprintf(
            'There is no driver for the scheme "%s"',
            $scheme,
        )))();
    }

    /** @return array<string, Driver> by scheme: those of Larder, then those that were registered */
    public static function all(): array
    {
        $all = [];
        foreach (self::BUILT_IN + self::$drivers as $scheme => $driver) {
            $all[$scheme] = self::get($scheme);
        }

        return $all;
    }

    /**
     * @internal
     * @param object $client of the application, or a closure that returns it
     * @param bool $isTier true if there are local copies in front of it, which have options of their own
     * @throws NotSupported naming the classes that are known
     */
    public static function hold(#[\SensitiveParameter] object $client, bool $isTier = false): BorrowedClient
    {
        $class = BorrowedClient::classOf($client);

        return new BorrowedClient(
            $client,
            $class,
            self::ofClient($class)->scheme()->with($isTier ? TierDriver::OPTIONS : []),
            new self(),
        );
    }

    /**
     * @internal
     * @throws NotSupported naming the classes that are known
     */
    public static function ofClient(string $class): ClientDriver
    {
        $known = [];
        foreach (self::CLIENTS as $driver) {
            $driver = new $driver();
            foreach ($driver->clients() as $name) {
                if (is_a($class, $name, true)) {
                    return $driver;
                }
                $known[] = $name;
            }
        }

        throw new NotSupported(
            \sprintf('A cache cannot use an object of the class %s. It can use: %s', $class, implode(', ', $known)),
        );
    }

    /** @throws InvalidDsn naming what is known */
    public static function parse(#[\SensitiveParameter] string $dsn): Dsn
    {
        return Dsn::parse($dsn, new self());
    }

    /** @return array<string, Variant> every store by the name that users see */
    public static function variants(): array
    {
        $variants = array_merge(
            ...array_values(array_map(static fn(Driver $driver): array => $driver->variants(), self::all())),
        );

        return array_combine(array_map(static fn(Variant $variant): string => $variant->name, $variants), $variants);
    }

    /** @param string $store a name of variants() */
    public static function schemeOf(string $store): string
    {
        foreach (self::all() as $scheme => $driver) {
            if (\in_array($store, array_column($driver->variants(), 'name'), true)) {
                return $scheme;
            }
        }

        throw new \OutOfBoundsException(\sprintf('There is no store of the name "%s"', $store));
    }

    /** @return array<string, class-string<Store>> every store by the name that users see */
    public static function stores(): array
    {
        return array_map(static fn(Variant $variant): string => $variant->store, self::variants());
    }

    public function scheme(string $name): ?Scheme
    {
        if (isset(self::ALIASES[$name])) {
            return self::get($name)->scheme()->as($name, self::ALIASES[$name][1]);
        }

        return isset(self::$drivers[$name]) || isset(self::BUILT_IN[$name]) ? self::get($name)->scheme() : null;
    }

    public function schemes(): array
    {
        $names = [...array_keys(self::all()), ...array_keys(self::ALIASES)];

        return array_values(array_filter(array_map($this->scheme(...), $names)));
    }
}
