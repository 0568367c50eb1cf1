<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\MySql;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Contract\Capability;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Servers;
use PDO;
use PHPUnit\Framework\Attributes\Group;

/** What the tests of all MySQL storage engines share. */
abstract class MySqlTestCase extends DriverTestCase
{
    private const HOUR = 3600;

    abstract protected static function engine(): string;

    public static function dsn(string $namespace): string
    {
        return Servers::patiently(self::address(Servers::mariaDb(), static::engine()) . '&namespace=' . $namespace . '&socket=' . Servers::mariaDb()->socket);
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    protected function isLocal(): bool
    {
        return false;
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        foreach (self::column("SHOW TABLES LIKE 'larder\\_%'") as $table) {
            self::raw()->exec(\sprintf('DROP TABLE `%s`', $table));
        }
    }

    protected function plantNeighbour(): void
    {
        self::raw()->exec('CREATE OR REPLACE TABLE larder_neighbour (v INT)');
        self::raw()->exec('INSERT INTO larder_neighbour VALUES (1)');
    }

    protected function neighbourIsThere(): bool
    {
        return self::column('SELECT v FROM larder_neighbour') === ['1'];
    }

    public function testTcpAndSocketReachTheSameValues(): void
    {
        $tcp = $this->cache('&namespace=ways');
        $socket = Cache::open(\sprintf(
            'mysql://%s:%s@/%s?engine=%s&namespace=ways&socket=%s' . Servers::PATIENTLY,
            MariaDbServer::USER,
            Servers::mariaDb()->password,
            MariaDbServer::DATABASE,
            static::engine(),
            Servers::mariaDb()->socket,
        ));
        $tcp->set('k', ['both ways']);
        self::assertSame(['both ways'], $socket->get('k'));
        self::assertTrue($socket->clear());
        self::assertFalse($tcp->has('k'));
    }

    public function testTableUsesTheRequestedEngine(): void
    {
        self::raw()->exec(\sprintf('DROP TABLE IF EXISTS larder_made_%s', static::engine()));
        $this->cache('&namespace=made')->reach();
        $engines = self::column(\sprintf("SELECT LOWER(engine) FROM information_schema.tables WHERE table_name = 'larder_made_%s'", static::engine()));
        self::assertSame([static::engine()], $engines);
    }

    public function testLostConnectionIsReopened(): void
    {
        $cache = $this->cache('&namespace=lost');
        $cache->set('k', 'value');
        foreach (self::column("SELECT id FROM information_schema.processlist WHERE command = 'Sleep' AND id <> CONNECTION_ID()") as $connection) {
            try {
                self::raw()->exec('KILL ' . $connection);
            } catch (\PDOException $e) {
                self::assertStringContainsString('Unknown thread', $e->getMessage(), 'it has ended by itself');
            }
        }
        self::assertSame('value', $cache->get('k'));
        $cache->clear();
    }

    public function testConnectionErrorsAreNamed(): void
    {
        $address = Servers::patiently(self::address(Servers::mariaDb(), static::engine()));
        $cases = [
            str_replace(':' . Servers::mariaDb()->port . '/', ':1/', $address) => '~^mysql: no connection to the database larder at 127\.0\.0\.1:1 .*apt-get install mariadb-server~',
            str_replace(Servers::mariaDb()->password, 'wrong', $address) => '~Access denied.*are user and password right~',
            str_replace('/larder?', '/other?', $address) => '~no connection to the database other .*denied~i',
        ];
        foreach ($cases as $wrong => $message) {
            $unavailable = self::assertThrows(StoreUnavailable::class, static fn() => Cache::open($wrong)->reach());
            self::assertMatchesRegularExpression($message, $unavailable->getMessage());
            self::assertStringNotContainsString(Servers::mariaDb()->password, $unavailable->getMessage());
        }
    }

    /** A new table is written to a disk that may be busy for longer than an answer may take. */
    #[Group('waiting')]
    public function testCreatingTheTableMayOutlastTheTimeout(): void
    {
        $ready = Servers::directory('mysql-busy') . '/' . bin2hex(random_bytes(4));
        $busy = Fork::start(static function () use ($ready): void {
            $administrator = self::administrator();
            $administrator->exec('FLUSH TABLES WITH READ LOCK');
            touch($ready);
            Servers::awaitFile("$ready.begun");
            usleep(2_500_000);
        });
        Servers::awaitFile($ready);
        touch("$ready.begun");
        $start = microtime(true);
        $this->cache('&namespace=contract_busy&timeout=1')->reach();
        self::assertGreaterThan(1.5, microtime(true) - $start, 'the control: longer than the timeout of a second');
        $cache = $this->cache('&namespace=contract_busy');
        self::assertTrue($cache->set('k', 'value'));
        self::assertSame('value', $cache->get('k'));
        $busy->result();
    }

    /** The table is created on a second connection if the user may have one. */
    public function testTableIsCreatedWithASingleConnection(): void
    {
        $administrator = self::administrator();
        $administrator->exec("CREATE OR REPLACE USER single@'%' IDENTIFIED BY 'single' WITH MAX_USER_CONNECTIONS 1");
        $administrator->exec(\sprintf("GRANT ALL ON %s.* TO single@'%%'", MariaDbServer::DATABASE));
        $cache = Cache::open(\sprintf('mysql://single:single@/%s?engine=%s&namespace=contract_single&socket=%s' . Servers::PATIENTLY, MariaDbServer::DATABASE, static::engine(), Servers::mariaDb()->socket));
        self::assertTrue($cache->set('k', 'value'));
        self::assertSame('value', $cache->get('k'));
    }

    public function testDroppedTableIsCreatedAgain(): void
    {
        $cache = $this->cache('&namespace=contract_dropped');
        $other = $this->cache('&namespace=contract_dropped');
        $drop = fn(): int|false => self::raw()->exec(\sprintf('DROP TABLE larder_contract_dropped_%s', static::engine()));
        foreach ([
            static fn(): bool => $cache->set('k', 'value'),
            static fn(): bool => $cache->setMany(['k' => 'value']),
            static fn(): bool => $cache->get('k') === null && $cache->add('k', 'value'),
            static fn(): bool => $cache->increment('n') === 1 && $cache->set('k', 'value'),
            static fn(): bool => $cache->clear() && $cache->delete('k') && $cache->set('k', 'value'),
        ] as $n => $work) {
            self::assertTrue($cache->set('k', 'old') && $other->get('k') === 'old');
            $drop();
            self::assertTrue($work(), "$n");
            self::assertSame('value', $cache->get('k'));
            self::assertSame('value', $other->get('k'));
        }
    }

    /** As where others have made the table, or changed it: nothing in it is a value, and nothing is thrown. */
    public function testChangedColumnsGiveMisses(): void
    {
        $columns = static::engine() === 'memory'
            ? ['data INT', 'version INT', 'expires VARCHAR(20)']
            : ['value INT', 'value DOUBLE', 'expires VARCHAR(20)', 'full_key LONGBLOB NULL'];
        foreach ($columns as $column) {
            $cache = $this->cache('&namespace=contract_columns&classes=none');
            self::assertTrue($cache->set('k', 'value') && $cache->set('n', 1));
            $table = 'larder_contract_columns_' . static::engine();
            $raw = self::raw();
            $raw->exec("SET sql_mode = ''");
            $raw->exec("ALTER TABLE $table MODIFY $column");
            if (str_ends_with($column, 'NULL')) {
                $raw->exec("UPDATE $table SET full_key = NULL");
            }
            $start = microtime(true);
            self::assertContains($cache->get('k', 'miss'), ['miss', 'value'], $column);
            self::assertContains($cache->getMany(['k'], 'miss')['k'], ['miss', 'value'], $column);
            $cache->has('n');
            $cache->expiry('n');
            $cache->delete('n');
            $cache->increment('n');
            $cache->touch('k', 60);
            $cache->add('k', 1);
            $cache->lock('k', 60)?->release();
            self::assertSame(8, \strlen($cache->remember('r', 60, static fn(): string => bin2hex(random_bytes(4)), tags: ['t'], wait: 30)), $column);
            self::assertLessThan(15.0, microtime(true) - $start, $column);
            $raw->exec("DROP TABLE $table");
        }
    }

    /** A statement takes 65,535 parameters. */
    public function testGetManyMayExceedTheParameterLimit(): void
    {
        $cache = $this->cache('&namespace=contract_many&timeout=10');
        $keys = array_map(static fn(int $n): string => 'k' . $n, range(1, 66_000));
        $cache->setMany(['k1' => 1, 'k40000' => 40_000, 'k66000' => 66_000]);
        $found = $cache->getMany($keys);
        self::assertCount(66_000, $found);
        self::assertSame($keys, array_keys($found));
        self::assertSame(['k1' => 1, 'k40000' => 40_000, 'k66000' => 66_000], array_filter($found, is_int(...)));
        $raw = self::raw();
        $raw->setAttribute(PDO::ATTR_EMULATE_PREPARES, false);
        $many = \sprintf('SELECT 1 FROM larder_contract_many_%s WHERE name IN (?%s)', static::engine(), str_repeat(', ?', 65_999));
        self::assertThrows(\PDOException::class, static fn() => $raw->prepare($many), 'too many placeholders'); // the control
    }

    public function testPruneRemovesExpiredRows(): void
    {
        $cache = $this->cache('&namespace=contract_prune&timeout=10');
        self::assertTrue($cache->setMany(array_fill_keys(array_map(static fn(int $n): string => 'old' . $n, range(1, 2500)), 'value'), 60));
        self::assertTrue($cache->set('stays', 1));
        self::assertTrue($cache->set('lives', 2, 2 * self::HOUR));
        self::expireRows('larder_contract_prune_' . static::engine());
        self::assertSame(2500, $cache->prune());
        self::assertSame(['2'], self::column(\sprintf('SELECT COUNT(*) FROM larder_contract_prune_%s', static::engine())));
        self::assertSame([1, 2], array_values($cache->getMany(['stays', 'lives'])));
    }

    private static function administrator(): PDO
    {
        return new PDO('mysql:unix_socket=' . Servers::mariaDb()->socket, posix_getpwuid(posix_geteuid())['name'] ?? '');
    }

    protected function cache(string $options): Cache
    {
        return Cache::open(Servers::patiently(self::address(Servers::mariaDb(), static::engine()) . $options));
    }

    protected static function raw(): PDO
    {
        return new PDO(\sprintf('mysql:unix_socket=%s;dbname=%s', Servers::mariaDb()->socket, MariaDbServer::DATABASE), MariaDbServer::USER, Servers::mariaDb()->password);
    }

    /** As if an hour had passed: a busy machine may take longer to store rows than a short ttl lasts. */
    protected static function expireRows(string $table): void
    {
        self::raw()->exec("UPDATE $table SET expires = expires - " . self::HOUR . ' WHERE expires > 0');
    }

    /** @return list<string> the first column */
    protected static function column(string $sql): array
    {
        $rows = self::raw()->query($sql);
        self::assertNotFalse($rows);

        return array_map(static fn(mixed $value): string => \is_scalar($value) ? (string) $value : '', array_values($rows->fetchAll(PDO::FETCH_COLUMN)));
    }

    protected static function address(MariaDbServer $server, string $engine): string
    {
        return \sprintf('mysql://%s:%s@127.0.0.1:%d/%s?engine=%s', MariaDbServer::USER, $server->password, $server->port, MariaDbServer::DATABASE, $engine);
    }
}
