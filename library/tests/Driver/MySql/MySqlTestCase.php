<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\MySql;

use Larder\Cache;
use Larder\Cli\Server\MariaDbServer;
use Larder\Contract\Capability;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Servers;
use PDO;
use PHPUnit\Framework\Attributes\Group;

/** Tests for all MySQL storage engines. */
abstract class MySqlTestCase extends DriverTestCase
{
    private const HOUR = 3600;

    abstract protected static function engine(): string;

    public static function dsn(string $namespace): string
    {
        return Servers::patiently(
            self::address(Servers::mariaDb(), static::engine()) . '&namespace=' . $namespace . '&socket='
                . Servers::mariaDb()->socket,
        );
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

    public function testSignedEntryIsReadInItsDatabaseAlone(): void
    {
        putenv('LARDER_TESTS_SIGNED_ROWS=' . str_repeat('k', 64));
        $administrator = self::administrator();
        $administrator->exec('CREATE OR REPLACE DATABASE elsewhere');
        $administrator->exec(\sprintf("GRANT ALL ON elsewhere.* TO %s@'%%'", MariaDbServer::USER));
        $options = '&namespace=signed&sign=env:LARDER_TESTS_SIGNED_ROWS';
        $here = $this->cache($options);
        $there = Cache::open(str_replace(
            '/' . MariaDbServer::DATABASE . '?',
            '/elsewhere?',
            Servers::patiently(self::address(Servers::mariaDb(), static::engine()) . $options),
        ));
        self::assertTrue($here->set('k', 'of this place') && $there->set('l', 1));
        $administrator->exec(\sprintf(
            'INSERT INTO elsewhere.%2$s SELECT * FROM %1$s.%2$s',
            MariaDbServer::DATABASE,
            'larder_signed_' . static::engine(),
        ));
        self::assertNull($there->get('k'));
        self::assertSame(['forged' => 1], $there->failures());
        self::assertSame(['of this place', 1], [$here->get('k'), $there->get('l')], 'the control');
        $administrator->exec('DROP DATABASE elsewhere');
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
        $engines = self::column(\sprintf(
            "SELECT LOWER(engine) FROM information_schema.tables WHERE table_name = 'larder_made_%s'",
            static::engine(),
        ));
        self::assertSame([static::engine()], $engines);
    }

    public function testLostConnectionIsReopened(): void
    {
        $cache = $this->cache('&namespace=lost');
        $cache->set('k', 'value');
        foreach (self::column(
            "SELECT id FROM information_schema.processlist WHERE command = 'Sleep' AND id <> CONNECTION_ID()",
        ) as $connection) {
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
            str_replace(
                ':' . Servers::mariaDb()->port . '/',
                ':1/',
                $address,
            ) => '~^mysql: no connection to the database larder at 127\.0\.0\.1:1 .*apt-get install mariadb-server~',
            str_replace(
                Servers::mariaDb()->password,
                'wrong',
                $address,
            ) => '~Access denied.*are user and password right~',
            str_replace('/larder?', '/other?', $address) => '~no connection to the database other .*denied~i',
        ];
        foreach ($cases as $wrong => $message) {
            $unavailable = self::assertThrows(StoreUnavailable::class, static fn() => Cache::open($wrong)->reach());
            self::assertMatchesRegularExpression($message, $unavailable->getMessage());
            self::assertStringNotContainsString(Servers::mariaDb()->password, $unavailable->getMessage());
        }
    }

    /** A new table is written to a disk, which may be busy for longer than the timeout of an answer. */
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

    /**
     * A statement that waits in the server is executed later, so its result is unknown. If it was repeated, it would
     * count twice, or take its own lock for another's.
     */
    #[Group('waiting')]
    public function testStatementThatMayHaveBeenRunIsNotRepeated(): void
    {
        $table = 'larder_contract_stall_' . static::engine();
        $ours = $this->cache('&namespace=contract_stall');
        $cache = $this->cache('&namespace=contract_stall&timeout=1&on_failure=throw');
        $changes = [
            'increment' => static fn(): mixed => $cache->increment('count'),
            'add' => static fn(): mixed => $cache->add('new', 'value', 60),
            'replace' => static fn(): mixed => $cache->replace('there', 'value', 60),
            'swap' => static fn(): mixed => $cache->swap('count', 101, 201),
            'lock' => static fn(): mixed => $cache->lock('job', 60),
        ];
        self::assertTrue($ours->setMany(['count' => 100, 'there' => 'old']) && $cache->get('count') === 100);
        foreach ($changes as $name => $change) {
            $ready = Servers::directory('mysql-stall') . '/' . bin2hex(random_bytes(4));
            $stall = Fork::start(static function () use ($table, $ready): void {
                $other = self::raw();
                $other->exec("LOCK TABLES $table READ");
                touch($ready);
                usleep(1_600_000); // longer than the timeout, shorter than two
            });
            Servers::awaitFile($ready);

            try {
                $result = $change();
                self::fail("$name gave " . var_export($result, true));
            } catch (StoreFailed $failure) {
                self::assertStringContainsString('may or may not have been made', $failure->getMessage(), $name);
            }
            $stall->result();
            self::assertTrue(
                Servers::await(static fn(): bool => self::column(
                    "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE '%$table%' AND id <> "
                        . 'CONNECTION_ID()',
                ) === ['0']),
                $name,
            );
            self::assertNotNull($cache->get('count'));
        }
        self::assertSame(
            ['count' => 201, 'there' => 'value', 'new' => 'value'],
            $ours->getMany(['count', 'there', 'new']),
            'each was carried out once',
        );
        self::assertNotNull($ours->lockHolder('job'));
    }

    /** Each server has the settings that its own programs need. */
    public function testSettingsOfTheServerDoNotMatter(): void
    {
        $settings = [
            'sql_safe_updates' => '1', 'sql_select_limit' => '1', 'autocommit' => '0', 'sql_auto_is_null' => '1',
            'tx_isolation' => "'SERIALIZABLE'",
            'sql_mode' => "'ANSI,NO_BACKSLASH_ESCAPES,NO_UNSIGNED_SUBTRACTION,PAD_CHAR_TO_FULL_LENGTH,HIGH_NOT_PRECEDENCE,NO_ZERO_DATE,EMPTY_STRING_IS_NULL'",
            'character_set_server' => "'utf16'", 'collation_server' => "'utf16_unicode_ci'",
            'div_precision_increment' => '0', 'group_concat_max_len' => '4',
            'old_passwords' => '1', 'time_zone' => "'+12:45'", 'default_storage_engine' => "'Aria'",
        ];
        $administrator = self::administrator();
        $before = array_map(
            static fn(string $setting): string => self::column("SELECT @@global.$setting")[0],
            array_combine(array_keys($settings), array_keys($settings)),
        );

        try {
            foreach ($settings as $setting => $value) {
                $administrator->exec("SET GLOBAL $setting = $value");
            }
            $cache = $this->cache('&namespace=contract_settings&on_failure=throw');
            $bytes = implode('', array_map(chr(...), range(0, 255)));
            $long = random_bytes(5000); // of several rows, in MEMORY
            self::assertTrue($cache->setMany(['a' => $bytes, 'b' => $long, $bytes => 1.1], 60));
            self::assertSame(
                ['a' => $bytes, 'b' => $long, $bytes => 1.1, 'c' => null],
                $this->cache('&namespace=contract_settings')->getMany(['a', 'b', $bytes, 'c']),
            );
            self::assertSame([1, 3], [$cache->increment('n', ttl: 60), $cache->increment('n', 2)]);
            self::assertTrue(
                $cache->touch('a', 60) && $cache->replace('a', 'new') && $cache->delete($bytes)
                    && $cache->lock('l', 60)?->release() === true,
            );
            self::assertEqualsCanonicalizing(['a', 'b', 'n'], [...$cache->keys()]);
            self::assertTrue($cache->set('old', 1, 0.001));
            self::assertTrue(Servers::await(static fn(): bool => $cache->prune() === 1));
            self::assertTrue($cache->clear());
            self::assertSame([], [...$cache->keys()]);
        } finally {
            foreach (array_reverse($before) as $setting => $value) {
                $administrator->exec(\sprintf(
                    'SET GLOBAL %s = %s',
                    $setting,
                    is_numeric($value) ? $value : $administrator->quote($value),
                ));
            }
        }
    }

    /** The table is created on a second connection, if the user may open one. */
    public function testTableIsCreatedWithASingleConnection(): void
    {
        $administrator = self::administrator();
        $administrator->exec("CREATE OR REPLACE USER single@'%' IDENTIFIED BY 'single' WITH MAX_USER_CONNECTIONS 1");
        $administrator->exec(\sprintf("GRANT ALL ON %s.* TO single@'%%'", MariaDbServer::DATABASE));
        $cache = Cache::open(\sprintf(
            'mysql://single:single@/%s?engine=%s&namespace=contract_single&socket=%s' . Servers::PATIENTLY,
            MariaDbServer::DATABASE,
            static::engine(),
            Servers::mariaDb()->socket,
        ));
        self::assertTrue($cache->set('k', 'value'));
        self::assertSame('value', $cache->get('k'));
    }

    public function testDroppedTableIsCreatedAgain(): void
    {
        $cache = $this->cache('&namespace=contract_dropped');
        $other = $this->cache('&namespace=contract_dropped');
        $drop = fn(): int|false
            => self::raw()->exec(\sprintf('DROP TABLE larder_contract_dropped_%s', static::engine()));
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

    /** If others have created or changed the table, its rows are misses, and nothing is thrown. */
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
            self::assertSame(
                8,
                \strlen(
                    $cache->remember('r', 60, static fn(): string => bin2hex(random_bytes(4)), tags: ['t'], wait: 30),
                ),
                $column,
            );
            self::assertLessThan(15.0, microtime(true) - $start, $column);
            $raw->exec("DROP TABLE $table");
        }
    }

    /** A statement accepts 65,535 parameters. */
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
        $many = \sprintf(
            'SELECT 1 FROM larder_contract_many_%s WHERE name IN (?%s)',
            static::engine(),
            str_repeat(', ?', 65_999),
        );
        self::assertThrows(
            \PDOException::class,
            static fn() => $raw->prepare($many),
            'too many placeholders',
        ); // the control
    }

    public function testPruneRemovesExpiredRows(): void
    {
        $cache = $this->cache('&namespace=contract_prune&timeout=10');
        self::assertTrue($cache->setMany(
            array_fill_keys(array_map(static fn(int $n): string => 'old' . $n, range(1, 2500)), 'value'),
            60,
        ));
        self::assertTrue($cache->set('stays', 1));
        self::assertTrue($cache->set('lives', 2, 2 * self::HOUR));
        self::expireRows('larder_contract_prune_' . static::engine());
        self::assertSame(2500, $cache->prune());
        self::assertSame(
            ['2'],
            self::column(\sprintf('SELECT COUNT(*) FROM larder_contract_prune_%s', static::engine())),
        );
        self::assertSame([1, 2], array_values($cache->getMany(['stays', 'lives'])));
    }

    protected static function administrator(): PDO
    {
        return new PDO(
            'mysql:unix_socket=' . Servers::mariaDb()->socket,
            posix_getpwuid(posix_geteuid())['name'] ?? '',
        );
    }

    protected function cache(string $options): Cache
    {
        return Cache::open(Servers::patiently(self::address(Servers::mariaDb(), static::engine()) . $options));
    }

    protected static function raw(): PDO
    {
        return new PDO(
            \sprintf('mysql:unix_socket=%s;dbname=%s', Servers::mariaDb()->socket, MariaDbServer::DATABASE),
            MariaDbServer::USER,
            Servers::mariaDb()->password,
        );
    }

    /** Simulates an hour: on a busy machine, storing rows may take longer than a short ttl. */
    protected static function expireRows(string $table): void
    {
        self::raw()->exec("UPDATE $table SET expires = expires - " . self::HOUR . '000000 WHERE expires > 0');
    }

    /** @return list<string> the first column */
    protected static function column(string $sql): array
    {
        $rows = self::raw()->query($sql);
        self::assertNotFalse($rows);

        return array_map(
            static fn(mixed $value): string => \is_scalar($value) ? (string) $value : '',
            array_values($rows->fetchAll(PDO::FETCH_COLUMN)),
        );
    }

    protected static function address(MariaDbServer $server, string $engine): string
    {
        return \sprintf(
            'mysql://%s:%s@127.0.0.1:%d/%s?engine=%s',
            MariaDbServer::USER,
            $server->password,
            $server->port,
            MariaDbServer::DATABASE,
            $engine,
        );
    }
}
