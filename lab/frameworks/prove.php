<?php

/*
 * Tests Cache::over() on clients of frameworks. The framework and the cache share one connection. During the
 * framework's transactions the cache does nothing. When the framework connects again, the cache continues with the new
 * client.
 *
 *     php lab/frameworks/prove.php AUTOLOADER…     the autoloaders of Larder, Laravel and Doctrine
 */

declare(strict_types=1);

use Doctrine\DBAL\Connection as DoctrineConnection;
use Doctrine\DBAL\DriverManager;
use Illuminate\Container\Container;
use Illuminate\Database\Capsule\Manager as Database;
use Illuminate\Redis\RedisManager;
use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Psr\Log\NullLogger;
use Symfony\Component\Cache\Adapter\AdapterInterface;
use Symfony\Component\Cache\Adapter\DoctrineDbalAdapter;
use Symfony\Component\Cache\Adapter\MemcachedAdapter;
use Symfony\Component\Cache\Adapter\PdoAdapter;
use Symfony\Component\Cache\Adapter\RedisAdapter;
use Symfony\Component\Cache\Adapter\RedisTagAwareAdapter;

foreach (array_slice($argv, 1) as $autoloader) {
    require str_starts_with($autoloader, '/') ? $autoloader : dirname(__DIR__, 2) . "/$autoloader";
}

function expect(string $what, mixed $expected, mixed $answer): void
{
    if ($answer !== $expected) {
        throw new RuntimeException(sprintf('%s: %s, not %s', $what, json_encode($answer, JSON_PARTIAL_OUTPUT_ON_ERROR), json_encode($expected, JSON_PARTIAL_OUTPUT_ON_ERROR)));
    }
}

/** @param Closure(): bool $isSo */
function awaits(string $what, Closure $isSo): void
{
    for ($end = microtime(true) + 60; !$isSo(); usleep(10_000)) {
        if (microtime(true) > $end) {
            throw new RuntimeException("$what: not within a minute");
        }
    }
}

/** Tests every kind of value and operation. $between runs after the values are stored. */
function worksBeside(Cache $cache, ?Closure $between = null): void
{
    $value = ['a string', 1.5, null, ['nested' => new DateTimeImmutable('2026-01-01')], str_repeat('long ', 2000)];
    expect('set()', true, $cache->set('k', $value) && $cache->setMany(['l' => 1, 'm' => "\0binary\xFF"], 60, ['tag']));
    $between === null ? null : $between();
    expect('get()', serialize($value), serialize($cache->get('k')));
    expect('getMany()', ['l' => 1, 'm' => "\0binary\xFF", 'n' => null], $cache->getMany(['l', 'm', 'n']));
    expect('increment()', [5, 7], [$cache->increment('c', 5), $cache->increment('c', 2)]);
    expect('lock()', true, $cache->lock('lock', 5)?->release());
    expect('remember()', [3, 3], [$cache->remember('r', 60, static fn(): int => 3), $cache->remember('r', 60, static fn(): int => 4)]);
    expect('invalidateTags()', [true, null], [$cache->invalidateTags(['tag']), $cache->get('l')]);
    expect('delete()', [true, null], [$cache->delete('k'), $cache->get('k')]);
}

function doesNothing(Cache $cache): void
{
    expect('in a transaction', ['a miss', false, false], [$cache->get('k', 'a miss'), $cache->set('k', 2), $cache->delete('k')]);
}

$memory = new TemporaryDirectory('/dev/shm');
$folder = static function (string $name) use ($memory): string {
    mkdir("$memory->path/$name");

    return "$memory->path/$name";
};
$redis = RedisServer::start($folder('redis'));
$memcached = MemcachedServer::start($folder('memcached'));
$mariaDb = MariaDbServer::start($folder('mariadb'));
$ofPostgreSql = new TemporaryDirectory('/dev/shm'); // a separate folder, which PostgreSQL's user can enter
$postgreSql = PostgreSqlServer::start($ofPostgreSql->path);

$observer = new Redis();
$observer->connect($redis->socket);
$connections = static fn(): int => count($observer->client('LIST')) - 1;

/** @param array<string, mixed> $options */
$laravelRedis = static fn(string $driver, string $socket, array $options): RedisManager => new RedisManager(new Container(), $driver, [
    'options' => $options,
    'default' => $driver === 'predis' ? ['scheme' => 'unix', 'path' => $socket, 'database' => 2] : ['host' => $socket, 'port' => 0, 'database' => 2],
]);
$redisOptions = [
    'phpredis' => ['prefix' => 'laravel:', 'serializer' => Redis::SERIALIZER_IGBINARY, 'scan' => Redis::SCAN_RETRY],
    'predis' => ['prefix' => 'laravel:'],
];
/** The closure as in docs/stores.md. */
$clientOf = static fn(string $driver, RedisManager $manager): Closure => $driver === 'predis'
    ? static fn(): Predis\Client => $manager->connection()->client()
    : static fn(): Redis => $manager->connection()->client();

$mySql = ['host' => 'localhost', 'unix_socket' => $mariaDb->socket, 'database' => MariaDbServer::DATABASE, 'username' => MariaDbServer::USER, 'password' => $mariaDb->password];
$pgSql = ['host' => dirname($postgreSql->socket), 'port' => $postgreSql->port, 'database' => PostgreSqlServer::DATABASE, 'username' => PostgreSqlServer::USER, 'password' => $postgreSql->password];
$databases = [
    'mysql' => [...$mySql, 'driver' => 'mysql', 'charset' => 'utf8mb4', 'collation' => 'utf8mb4_general_ci', 'prefix' => 'laravel_'],
    'pgsql' => [...$pgSql, 'driver' => 'pgsql', 'charset' => 'utf8', 'prefix' => 'laravel_', 'search_path' => 'public'],
    'sqlite' => ['driver' => 'sqlite', 'database' => $memory->path . '/laravel.sqlite'],
];
$ids = ['mysql' => 'SELECT CONNECTION_ID()', 'pgsql' => 'SELECT pg_backend_pid()'];
$administrators = [
    'mysql' => new PDO("mysql:unix_socket=$mariaDb->socket", MariaDbServer::USER, $mariaDb->password),
    'pgsql' => new PDO(sprintf('pgsql:host=%s;port=%d;dbname=%s', $pgSql['host'], $postgreSql->port, PostgreSqlServer::DATABASE), PostgreSqlServer::USER, $postgreSql->password),
];
$break = static fn(string $driver, int $id): int|false => $administrators[$driver]->exec($driver === 'mysql' ? "KILL $id" : "SELECT pg_terminate_backend($id, 30000)");
$laravel = static function (string $driver) use ($databases, $memory): Database {
    touch($memory->path . '/laravel.sqlite');
    $database = new Database();
    $database->addConnection($databases[$driver]);
    $database->getConnection()->statement('CREATE TABLE IF NOT EXISTS own (v INTEGER)');

    return $database;
};
$doctrine = static function (string $driver) use ($mySql, $pgSql, $memory): DoctrineConnection {
    $of = ['mysql' => $mySql, 'pgsql' => $pgSql, 'sqlite' => []][$driver];
    $connection = DriverManager::getConnection(array_filter([
        'driver' => "pdo_$driver", 'host' => $of['host'] ?? null, 'port' => $of['port'] ?? null, 'unix_socket' => $of['unix_socket'] ?? null,
        'dbname' => $of['database'] ?? null, 'user' => $of['username'] ?? null, 'password' => $of['password'] ?? null,
        'path' => $driver === 'sqlite' ? $memory->path . '/doctrine.sqlite' : null,
    ], static fn(mixed $value): bool => $value !== null));
    $connection->executeStatement('CREATE TABLE IF NOT EXISTS own (v INTEGER)');

    return $connection;
};

$checks = [];
foreach ($redisOptions as $driver => $options) {
    $checks["Laravel's Redis connection by $driver"] = static function () use ($driver, $options, $laravelRedis, $clientOf, $redis, $connections): void {
        $before = $connections();
        $manager = $laravelRedis($driver, $redis->socket, $options);
        $own = $manager->connection();
        $value = $driver === 'phpredis' ? ['its', 'own'] : 'its own';
        $own->set('own', $value);
        $cache = Cache::over($clientOf($driver, $manager), "namespace=$driver&on_failure=throw");
        worksBeside($cache, static fn() => $own->set('own', $value));
        expect("Laravel's value", $value, $own->get('own'));
        expect('connections', 1, $connections() - $before);
        $cache->clear();
        expect("Laravel's value after clear()", $value, $own->get('own'));
        $own->flushdb();
        $manager->purge();
    };
    $checks["Laravel's Redis connection by $driver, purged after its server was away"] = static function () use ($driver, $options, $laravelRedis, $clientOf, $folder): void {
        $home = $folder("redis-$driver");
        $server = RedisServer::start($home);
        $manager = $laravelRedis($driver, $server->socket, $options);
        $cache = Cache::over($clientOf($driver, $manager), "namespace=$driver", new NullLogger());
        expect('set()', true, $cache->set('k', 1));
        $server->stop();
        expect('get() while it is away', null, $cache->get('k'));
        $manager->connection()->disconnect();
        $manager->purge();
        $server = RedisServer::start($home);
        awaits('set()', static fn(): bool => $cache->set('k', 2));
        expect('get()', 2, $cache->get('k'));
        $manager->connection()->set('own', 'its own');
        $observer = new Redis();
        $observer->connect($server->socket);
        expect('connections', 1, count($observer->client('LIST')) - 1);
        $server->stop();
    };
}
$checks["Laravel's Redis transaction and pipeline by phpredis"] = static function () use ($laravelRedis, $clientOf, $redisOptions, $redis): void {
    $manager = $laravelRedis('phpredis', $redis->socket, $redisOptions['phpredis']);
    $cache = Cache::over($clientOf('phpredis', $manager), 'namespace=transaction');
    expect('set()', true, $cache->set('k', 1));
    foreach (['transaction', 'pipeline'] as $begin) {
        expect($begin, [true, 'its own'], $manager->connection()->$begin(static function (Redis $client) use ($cache): void {
            $client->set('own', 'its own');
            doesNothing($cache);
            $client->get('own');
        }));
        expect("get() after $begin", 1, $cache->get('k'));
    }
    $manager->connection()->flushdb();
};

foreach (array_keys($databases) as $driver) {
    $checks["Laravel's database connection to $driver"] = static function () use ($driver, $laravel): void {
        $database = $laravel($driver);
        $connection = $database->getConnection();
        $cache = Cache::over(static fn(): PDO => $database->getConnection()->getPdo(), 'namespace=laravel&on_failure=throw');
        worksBeside($cache, static fn() => $connection->table('migrations_that_are_not_there')->toSql());
        $missing = Cache::over(static fn(): PDO => $database->getConnection()->getPdo(), 'namespace=laravel');
        expect('set()', true, $missing->set('k', 1));
        $connection->transaction(static function () use ($connection, $missing): void {
            $connection->insert('INSERT INTO own VALUES (7)');
            doesNothing($missing);
            $connection->transaction(static fn() => doesNothing($missing)); // inside a savepoint
        });
        expect('get() after the transaction', 1, $missing->get('k'));
        expect("Laravel's rows", 1, count($connection->select('SELECT v FROM own WHERE v = 7')));
        $cache->clear();
    };
    $checks["Doctrine's connection to $driver"] = static function () use ($driver, $doctrine): void {
        $connection = $doctrine($driver);
        $cache = Cache::over(static fn(): PDO => $connection->getNativeConnection(), 'namespace=doctrine&on_failure=throw');
        worksBeside($cache, static fn() => $connection->fetchOne('SELECT COUNT(*) FROM own'));
        $missing = Cache::over(static fn(): PDO => $connection->getNativeConnection(), 'namespace=doctrine');
        expect('set()', true, $missing->set('k', 1));
        $connection->transactional(static function () use ($connection, $missing): void {
            $connection->insert('own', ['v' => 8]);
            doesNothing($missing);
            $connection->transactional(static fn() => doesNothing($missing));
        });
        expect('get() after the transaction', 1, $missing->get('k'));
        expect("Doctrine's rows", 1, (int) $connection->fetchOne('SELECT COUNT(*) FROM own WHERE v = 8'));
        $cache->clear();
    };
}

foreach ($ids as $driver => $id) {
    $checks["Laravel connects to $driver again"] = static function () use ($driver, $id, $laravel, $break): void {
        $database = $laravel($driver);
        $connection = $database->getConnection();
        $number = static fn(): int => (int) current((array) $connection->selectOne($id));
        $cache = Cache::over(static fn(): PDO => $database->getConnection()->getPdo(), 'namespace=again', new NullLogger());
        $ofTheFirst = Cache::over($connection->getPdo(), 'namespace=again', new NullLogger());
        expect('set()', true, $cache->set('k', 1) && $ofTheFirst->set('k', 1));
        $break($driver, $first = $number());
        expect('another connection', true, $number() !== $first); // Laravel has noticed the loss
        awaits('get()', static fn(): bool => $cache->get('k') === 1);
        expect('the control: a cache over the object that was lost', null, $ofTheFirst->get('k'));

        try {
            $connection->transaction(static function () use ($cache, $break, $driver, $number, $connection): void {
                doesNothing($cache);
                $break($driver, $number());
                $connection->insert('INSERT INTO own VALUES (9)');
            });
            throw new RuntimeException('the transaction was not lost');
        } catch (Illuminate\Database\QueryException|PDOException) {
            // expected, for a lost connection
        }
        expect("Laravel's rows", [], $connection->select('SELECT v FROM own WHERE v = 9'));
        awaits('get() after a lost transaction', static fn(): bool => $cache->get('k') === 1);
        $connection->transaction(static fn() => doesNothing($cache));
        expect('clear()', true, $cache->clear());
    };
    $checks["Doctrine connects to $driver again"] = static function () use ($driver, $id, $doctrine, $break): void {
        $connection = $doctrine($driver);
        $cache = Cache::over(static fn(): PDO => $connection->getNativeConnection(), 'namespace=again', new NullLogger());
        expect('set()', true, $cache->set('k', 1));
        $ofTheFirst = Cache::over($connection->getNativeConnection(), 'namespace=again', new NullLogger());
        $connection->beginTransaction();
        $break($driver, (int) $connection->fetchOne($id));

        try {
            $connection->fetchOne($id);
            throw new RuntimeException('the connection was not lost');
        } catch (Doctrine\DBAL\Exception) {
            $connection->close(); // as Doctrine documents; the next use connects again
        }
        awaits('get()', static fn(): bool => $cache->get('k') === 1);
        expect('the control: a cache over the object that was lost', null, $ofTheFirst->get('k'));
        $connection->transactional(static fn() => doesNothing($cache));
        expect('clear()', true, $cache->clear());
    };
}

/** Tests a Symfony adapter and a cache on one client: neither sees, changes or clears the other's entries. */
$beside = static function (AdapterInterface $adapter, object $client): void {
    $store = static function () use ($adapter): void {
        $item = $adapter->getItem('own');
        expect('save()', true, $adapter->save($item->set(['its', new ArrayObject(['own'])])));
        $adapter->commit();
    };
    $store();
    $cache = Cache::over($client, 'namespace=symfony&on_failure=throw');
    worksBeside($cache, $store);
    expect('set()', true, $cache->set('k', 1));
    expect("Symfony's item", serialize(['its', new ArrayObject(['own'])]), serialize($adapter->getItem('own')->get()));
    expect('clear()', true, $cache->clear());
    expect("Symfony's item after clear()", true, $adapter->hasItem('own'));
    expect('set()', true, $cache->set('k', 1));
    expect("Symfony's clear()", [true, false, 1], [$adapter->clear(), $adapter->hasItem('own'), $cache->get('k')]);
    $cache->clear();
};
foreach (['phpredis' => Redis::class, 'predis' => Predis\Client::class] as $name => $class) {
    $checks["Symfony's adapters for Redis by $name"] = static function () use ($beside, $class, $redis): void {
        $client = RedisAdapter::createConnection("redis://$redis->socket", ['class' => $class]);
        $beside(new RedisAdapter($client, 'app'), $client);
        $beside(new RedisTagAwareAdapter($client, 'tagged'), $client);
    };
}
$checks["Symfony's adapter for memcached"] = static function () use ($beside, $memcached): void {
    $client = MemcachedAdapter::createConnection("memcached://$memcached->socket", ['prefix_key' => 'app:']);
    $beside(new MemcachedAdapter($client, 'app'), $client);
};
$checks["Symfony's adapter for PDO"] = static function () use ($beside, $memory): void {
    $pdo = new PDO("sqlite:$memory->path/symfony.sqlite");
    $beside(new PdoAdapter($pdo, 'app'), $pdo);
};
$checks["Symfony's adapter for Doctrine"] = static function () use ($beside, $doctrine): void {
    $connection = $doctrine('pgsql');
    $beside(new DoctrineDbalAdapter($connection, 'app'), $connection->getNativeConnection());
};

[$passed, $failed] = [0, 0];
foreach ($checks as $name => $check) {
    try {
        $check();
        ++$passed;
        echo "ok     $name\n";
    } catch (Throwable $error) {
        ++$failed;
        echo "FAILED $name\n$error\n";
    }
}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
