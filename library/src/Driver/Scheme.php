<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Codec\CodecOptions;
use Larder\Contract\RemoteStore;
use Larder\Contract\Store;
use Larder\Decorator\Breaker\Breaker;
use Larder\Decorator\Breaker\BreakerStore;
use Larder\Decorator\Breaker\OutageRecord;
use Larder\Decorator\Sharding\ShardedStore;
use Larder\Decorator\Tier\TierStore;
use Larder\Driver\Apcu\ApcuStore;
use Larder\Driver\Engine\EngineStore;
use Larder\Driver\Engine\NamespacedEngineStore;
use Larder\Driver\File\FileStore;
use Larder\Driver\Legacy\Memcache\MemcacheStore;
use Larder\Driver\Legacy\MySqlMemory\MySqlMemoryStore;
use Larder\Driver\Legacy\Shmop\ShmopStore;
use Larder\Driver\Legacy\Yac\YacStore;
use Larder\Driver\Memcached\MemcachedStore;
use Larder\Driver\Memory\ArrayStore;
use Larder\Driver\MySql\MySqlConnection;
use Larder\Driver\MySql\MySqlStore;
use Larder\Driver\None\NullStore;
use Larder\Driver\PhpFile\PhpFileStore;
use Larder\Driver\Redis\PredisStore;
use Larder\Driver\Redis\RedisStore;
use Larder\Driver\Sqlite\SqliteStore;
use Larder\Dsn\Dsn;
use Larder\Dsn\DsnError;
use Larder\Dsn\Endpoint;
use Larder\ErrorLog;
use Larder\Exception\InvalidDsn;
use Larder\Exception\NotSupported;
use Larder\Exception\StoreUnavailable;
use Larder\Filesystem\UserFolder;
use Larder\Resolver;
use Psr\Log\LoggerInterface;

/** The kinds of address: what options each takes, and which store it opens. */
enum Scheme: string
{
    case Auto = 'auto';
    case None = 'none';
    case Array = 'array';
    case Larder = 'larder';
    case Apcu = 'apcu';
    case Yac = 'yac';
    case Shmop = 'shmop';
    case Memcached = 'memcached';
    case Memcache = 'memcache';
    case Redis = 'redis';
    case MySql = 'mysql';
    case Sqlite = 'sqlite';
    case File = 'file';
    case PhpFile = 'php-file';
    case Tier = 'tier';

    /** What the files that auto: falls back to may take, about: 512 MiB. */
    private const FALLBACK_BYTES = 512 << 20;

    /** For messages: "auto:, none:, …". */
    public static function list(): string
    {
        return implode(', ', array_map(static fn(self $scheme): string => $scheme->value . ':', self::cases()));
    }

    /** @return list<string> */
    public function options(): array
    {
        return match ($this) {
            self::None => [],
            self::Array => CodecOptions::SERIALIZER,
            self::Larder, self::Apcu => ['namespace'],
            self::Auto => ['namespace', ...CodecOptions::SERIALIZER],
            self::PhpFile => ['namespace', ...CodecOptions::SERIALIZER, 'max_size'],
            self::Sqlite, self::File => ['namespace', ...CodecOptions::ALL, 'max_size'],
            self::Yac, self::Shmop => ['namespace', ...CodecOptions::ALL],
            self::Memcached, self::Memcache => ['namespace', ...CodecOptions::ALL, 'timeout', 'persistent', 'on_failure'],
            self::Redis => ['namespace', ...CodecOptions::ALL, 'timeout', 'persistent', 'on_failure', 'client', 'database'],
            self::MySql => ['namespace', ...CodecOptions::ALL, 'timeout', 'persistent', 'on_failure', 'engine', 'socket'],
            self::Tier => ['local_ttl', 'poll'],
        };
    }

    /** Whether its addresses name servers, which may ask for a password. */
    public function isRemote(): bool
    {
        return \in_array($this, [self::Memcached, self::Memcache, self::Redis, self::MySql], true);
    }

    /**
     * Connects to no server: that is done when it is first needed.
     *
     * @param LoggerInterface $logger is told when a server becomes unreachable, and when it is back
     * @throws InvalidDsn
     * @throws StoreUnavailable when an extension or a directory is missing
     */
    public function open(Dsn $address, LoggerInterface $logger = new ErrorLog()): Store
    {
        if (\in_array($this, [self::Auto, self::None, self::Array, self::Apcu, self::Yac, self::Shmop], true)) {
            $address->refuseName();
        }

        return match ($this) {
            self::Auto => Resolver::at($address, $logger)->store(),
            self::None => new NullStore(),
            self::Array => new ArrayStore(CodecOptions::codec($address)),
            self::Larder => $this->larder($address),
            self::Apcu => new ApcuStore($address->namespace(), $address->failures),
            self::Yac => new YacStore($address->namespace(), CodecOptions::codec($address)),
            self::Shmop => new ShmopStore($address->namespace(), CodecOptions::codec($address)),
            self::Memcached, self::Memcache, self::Redis => $this->servers($address, $logger),
            self::MySql => $this->mySql($address, $logger),
            self::Sqlite => new SqliteStore($this->path($address), $address->namespace(), CodecOptions::codec($address), $this->maxSize($address)),
            self::File => new FileStore($this->path($address), $address->namespace(), CodecOptions::codec($address), $this->maxSize($address)),
            self::PhpFile => new PhpFileStore($this->path($address), $address->namespace(), CodecOptions::codec($address), $this->maxSize($address)),
            self::Tier => $this->tier($address, $logger),
        };
    }

    /**
     * What is tried for an address, in this order: for auto: the engine, else APCu, else files in the temporary directory.
     *
     * @return non-empty-list<array{self, \Closure(): Store}>
     * @throws InvalidDsn
     */
    public function attempts(Dsn $address, LoggerInterface $logger): array
    {
        if ($this !== self::Auto) {
            return [[$this, fn(): Store => $this->open($address, $logger)]];
        }
        $address->refuseName();
        $namespace = $address->namespace();
        $codec = CodecOptions::codec($address);

        return [
            [self::Larder, static fn(): Store => self::Larder->open($address)],
            [self::Apcu, static fn(): Store => self::Apcu->open($address)],
            [self::File, static fn(): Store => new FileStore(UserFolder::find('file', sys_get_temp_dir(), 'larder'), $namespace, $codec, self::FALLBACK_BYTES)],
        ];
    }

    private function larder(Dsn $address): Store
    {
        $address->refuseServers();

        return isset($address->options['namespace'])
            ? new NamespacedEngineStore($address->namespace(), $address->name())
            : new EngineStore($address->name());
    }

    private function servers(Dsn $address, LoggerInterface $logger): Store
    {
        if ($this !== self::Redis && $address->user . $address->password() !== '') {
            throw $address->invalid('has a user or a password, which memcached does not ask for here');
        }
        $endpoints = $address->endpoints($this === self::Redis ? 6379 : 11211);
        $stores = [];
        foreach ($endpoints as $endpoint) {
            $stores[(string) $endpoint] = $this->breaking($this->server($address, $endpoint), $address, $endpoint, $logger);
        }

        return \count($stores) === 1 ? reset($stores) : new ShardedStore($stores);
    }

    private function server(Dsn $address, Endpoint $endpoint): RemoteStore
    {
        $namespace = $address->namespace();
        $codec = CodecOptions::codec($address);
        $timeout = $address->timeout();
        $persistent = $this->isPersistent($address);
        if ($this === self::Memcached) {
            return new MemcachedStore($endpoint, $namespace, $codec, $timeout, $persistent);
        }
        if ($this === self::Memcache) {
            return new MemcacheStore($endpoint, $namespace, $codec, $timeout, $persistent);
        }
        $client = $address->choice('client', ['phpredis', 'predis'], 'phpredis');
        $database = (int) $address->number('database', 0, 0, 1_000_000);
        $class = $client === 'phpredis' ? RedisStore::class : PredisStore::class;

        return new $class($endpoint, $namespace, $codec, $timeout, $persistent, $address->user, $address->password(), $database);
    }

    private function mySql(Dsn $address, LoggerInterface $logger): Store
    {
        $engine = $address->choice('engine', ['memory', 'myisam', 'innodb'], 'innodb');
        $database = ltrim($address->name(), '/');
        if (str_contains(ltrim($address->rest, '/'), '/')) {
            throw $address->invalid('has a path that is not the name of one database. ' . DsnError::ENCODING);
        }
        if ($database === '') {
            throw $address->invalid('names no database: mysql://user@127.0.0.1/database');
        }
        $socket = $address->options['socket'] ?? '';
        if ($socket === '' && \count($address->servers) !== 1) {
            throw $address->invalid('names no single server: mysql://user@127.0.0.1/database, or socket=/path for a unix socket');
        }
        $endpoint = $socket !== '' ? Endpoint::unix($socket) : $address->tcp($address->servers[0], 3306);
        $connection = new MySqlConnection(
            $endpoint,
            $database,
            $address->user,
            $address->password(),
            $address->timeout(),
            $this->isPersistent($address),
        );
        $codec = CodecOptions::codec($address);

        $store = match ($engine) {
            'memory' => new MySqlMemoryStore($connection, $address->namespace(), $codec),
            'myisam', 'innodb' => new MySqlStore($connection, $engine, $address->namespace(), $codec),
        };

        return $this->breaking($store, $address, $endpoint, $logger);
    }

    private function breaking(RemoteStore $store, Dsn $address, Endpoint $endpoint, LoggerInterface $logger): Store
    {
        $throws = $address->choice('on_failure', ['miss', 'throw'], 'miss') === 'throw';
        // What makes two ways to one server differ: one may work where the other does not.
        $way = array_intersect_key($address->options, array_flip(['timeout', 'client', 'database']));
        ksort($way);
        $record = OutageRecord::ofThisUser(serialize([$this, (string) $endpoint, $address->name(), $address->user, $address->password(), $way]));
        $breaker = new Breaker($this->value, (string) $endpoint, $record, $logger, probe: 1.0 + 4.0 * $address->timeout());

        return new BreakerStore($store, $breaker, $throws);
    }

    private function tier(Dsn $address, LoggerInterface $logger): Store
    {
        [$local, $shared] = array_map(static fn(Dsn $tier): Store => $tier->scheme->open($tier, $logger), $address->tiers);

        $localTtl = $address->number('local_ttl', 60.0, 0.001, 30 * 86_400.0);
        $poll = $address->poll();

        try {
            return new TierStore($local, $shared, $address->tiers[1]->place(), $localTtl, $poll);
        } catch (NotSupported $refusal) {
            throw $address->invalid('names a store that cannot be a tier: ' . $refusal->getMessage());
        }
    }

    private function isPersistent(Dsn $address): bool
    {
        return $address->choice('persistent', ['0', '1'], '0') === '1';
    }

    /** @return int bytes, 0 for no limit */
    private function maxSize(Dsn $address): int
    {
        return isset($address->options['max_size']) ? (int) $address->number('max_size', 0.0, 1 << 20, 1 << 50) : 0;
    }

    private function path(Dsn $address): string
    {
        $address->refuseServers();
        $path = $address->name();
        if (!str_starts_with($path, '/')) {
            throw $address->invalid(\sprintf('names no absolute path: %s:///path', $this->value));
        }

        return $path;
    }
}
