<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\PostgreSql;

use Larder\Cache;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Contract\Capability;
use Larder\Dsn\Endpoint;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\PostgreSql\PostgreSqlConnection;
use Larder\Internal\Driver\PostgreSql\PostgreSqlLink;
use Larder\Internal\Driver\PostgreSql\PostgreSqlStatements;
use Larder\Internal\Driver\PostgreSql\PostgreSqlTable;
use Larder\Internal\Driver\Sql\RemoteSqlStore;
use Larder\Testing\Fork;
use Larder\Tests\Decorator\Breaker\Proxy;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PgSql\Connection;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use Psr\Log\NullLogger;

final class PostgreSqlTest extends DriverTestCase
{
    private const HOUR = 3600;

    private static ?TemporaryDirectory $memory = null;
    private static ?PostgreSqlServer $server = null;

    public static function dsn(string $namespace): string
    {
        return Servers::patiently(self::dsnOf(self::server()) . '&namespace=' . $namespace);
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    protected function isLocal(): bool
    {
        return false;
    }

    protected function plantNeighbour(): void
    {
        self::query(
            'DROP TABLE IF EXISTS larder_neighbour_entries; CREATE TABLE larder_neighbour_entries AS SELECT 1 AS v',
        );
    }

    protected function neighbourIsThere(): bool
    {
        return self::query('SELECT v FROM larder_neighbour_entries') === ['1'];
    }

    public static function tearDownAfterClass(): void
    {
        self::$server?->stop();
        self::$server = self::$memory = null;
    }

    public function testSignedEntryIsReadInItsDatabaseAlone(): void
    {
        putenv('LARDER_TESTS_SIGNED_ROWS=' . str_repeat('k', 64));
        self::query('CREATE DATABASE other OWNER ' . PostgreSqlServer::USER);
        $dsn = self::dsn('signed') . '&sign=env:LARDER_TESTS_SIGNED_ROWS';
        $here = Cache::open($dsn);
        $there = Cache::open(str_replace('@/' . PostgreSqlServer::DATABASE, '@/other', $dsn));
        self::assertTrue($here->set('k', 'of this place') && $there->set('l', 1));
        [$table] = self::query("SELECT tablename FROM pg_tables WHERE tablename LIKE 'larder_signed%'");
        $rows = pg_copy_to(self::administrator(self::server()), (string) $table);
        self::assertIsArray($rows);
        self::assertTrue(pg_copy_from(
            self::administrator(self::server(), 'other'),
            (string) $table,
            array_map(strval(...), array_filter($rows, is_scalar(...))),
        ));
        self::assertNull($there->get('k'));
        self::assertSame(['forged' => 1], $there->failures());
        self::assertSame(['of this place', 1], [$here->get('k'), $there->get('l')], 'the control');
        self::query('DROP DATABASE other WITH (FORCE)');
    }

    public function testTcpAndSocketReachTheSameCache(): void
    {
        $server = self::server();
        $tcp = Cache::open(\sprintf(
            'pgsql://larder:%s@127.0.0.1:%d/larder?namespace=%s' . Servers::PATIENTLY,
            $server->password,
            $server->port,
            $this->namespace,
        ));
        $folder = Cache::open(\sprintf(
            'pgsql://larder:%s@/larder?socket=%s&namespace=%s' . Servers::PATIENTLY,
            $server->password,
            rawurlencode($server->socket),
            $this->namespace,
        ));
        self::assertTrue($tcp->set('k', ['both ways']));
        self::assertSame(['both ways'], $folder->get('k'));
    }

    /** The search path begins with a schema named after the user, so the user decides which table is read. */
    public function testTierDoesNotMixTheValuesOfTwoUsers(): void
    {
        foreach (['alice', 'bob'] as $user) {
            self::user($user, "CREATE SCHEMA IF NOT EXISTS AUTHORIZATION $user");
        }
        $open = fn(string $user): string
            => \sprintf('%s&namespace=%s%s', self::dsnOf(self::server(), $user), $this->namespace, Servers::PATIENTLY);
        [$alice, $bob] = [
            Cache::open(\sprintf('tier:(larder:)(%s)?poll=60', $open('alice'))),
            Cache::open(\sprintf('tier:(larder:)(%s)?poll=60', $open('bob'))),
        ];
        self::assertTrue($alice->set('k', 'of alice'));
        self::assertSame('of alice', $alice->get('k'));
        self::assertNull(Cache::open($open('bob'))->get('k'), 'the control: they have a table each');
        self::assertSame(['k' => null], $bob->getMany(['k']));
        self::assertTrue($bob->set('k', 'of bob'));
        self::assertSame(['of alice', 'of bob'], [$alice->get('k'), $bob->get('k')]);
    }

    public function testTableHasNoWriteAheadLog(): void
    {
        $this->cache->set('k', 1);
        self::assertSame(
            ['u'],
            self::query("SELECT relpersistence FROM pg_class WHERE relname = 'larder_{$this->namespace}_entries'"),
        );
    }

    public function testTableIsLoggedWhereUnloggedIsForbidden(): void
    {
        self::query(<<<'SQL'
            CREATE FUNCTION forbid() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
                IF EXISTS (SELECT FROM pg_event_trigger_ddl_commands() d JOIN pg_class c ON c.oid = d.objid WHERE c.relpersistence = 'u') THEN
                    RAISE EXCEPTION 'no unlogged tables here' USING ERRCODE = 'feature_not_supported';
                END IF;
            END $$;
            CREATE EVENT TRIGGER forbid ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION forbid()
            SQL);

        try {
            self::assertTrue($this->cache->set('k', 'value'));
            self::assertSame('value', $this->cache->get('k'));
            self::assertSame(
                ['p'],
                self::query("SELECT relpersistence FROM pg_class WHERE relname = 'larder_{$this->namespace}_entries'"),
            );
        } finally {
            self::query('DROP EVENT TRIGGER forbid; DROP FUNCTION forbid');
        }
    }

    public function testLostConnectionIsOpenedAgain(): void
    {
        foreach (['', '&persistent=1'] as $option) {
            $cache = $this->with($option);
            self::assertTrue($cache->set('k', 'value'));
            self::query(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'larder %'",
            );
            self::assertSame('value', $cache->get('k'), $option);
        }
    }

    public function testServerThatEndsGivesMisses(): void
    {
        $server = PostgreSqlServer::start(Servers::directory('postgresql-ends'));
        $cache = Cache::open(Servers::patiently(self::dsnOf($server)), new NullLogger());
        self::assertTrue($cache->set('k', 'value'));
        $server->stop();
        self::assertSame('default', $cache->get('k', 'default'));
        self::assertSame(['k' => 'default'], $cache->getMany(['k'], 'default'));
        self::assertFalse(
            $cache->has('k') || $cache->set('k', 1) || $cache->setMany(['k' => 1]) || $cache->delete('k')
                || $cache->clear(),
        );
    }

    public function testErrorsSayWhatFailedAndWhatToDo(): void
    {
        $server = self::server();
        $good = \sprintf('pgsql://larder:%s@127.0.0.1:%d/larder', $server->password, $server->port);
        $cases = [
            str_replace(":$server->port", ':1', $good) => '~^pgsql: cannot connect to the database larder at '
                . '127\.0\.0\.1:1 \(.*refused.*apt-get install postgresql$~',
            str_replace(
                $server->password,
                'wr%27ong',
                $good,
            ) => '~password authentication failed for user "larder".*Are the user and the password in the DSN right~',
            preg_replace('~larder$~D', 'other', $good) => '~database "other" does not exist.*createdb other$~',
            \sprintf(
                'pgsql://larder:%s@/larder?socket=/nowhere/.s.PGSQL.5432',
                $server->password,
            ) => '~at /nowhere/.s.PGSQL.5432 .*No such file~',
        ];
        foreach ($cases as $dsn => $message) {
            try {
                Cache::open(Servers::patiently($dsn))->reach();
                self::fail("reached $dsn");
            } catch (StoreUnavailable $unavailable) {
                self::assertMatchesRegularExpression($message, $unavailable->getMessage());
                ob_start();
                var_dump($unavailable, Cache::open($dsn));
                self::assertDoesNotMatchRegularExpression("~$server->password|wr'ong~", $unavailable . ob_get_clean());
            }
        }
    }

    public function testRefusedLoginIsNotLoggedAsAnOutage(): void
    {
        foreach ([
            'larder:wrong@' => 'password authentication failed',
            'larder@' => 'no password supplied',
        ] as $login => $reason) {
            $cache = Cache::open(
                Servers::patiently(\sprintf('pgsql://%s127.0.0.1:%d/larder', $login, self::server()->port)),
                $log = new RecordingLogger(),
            );
            self::assertSame(['a miss', 'a miss'], [$cache->get('k', 'a miss'), $cache->get('k', 'a miss')]);
            self::assertMatchesRegularExpression(
                "~^warning: pgsql at \S+ refuses this client: .*$reason~",
                $log->entries()[0] ?? '',
            );
        }
    }

    public function testUserWithoutTheRightToMakeTablesIsTold(): void
    {
        self::user('guest', '');
        try {
            Cache::open(Servers::patiently(self::dsnOf(self::server(), 'guest') . '&namespace=guest'))->reach();
            self::fail('it made a table');
        } catch (StoreUnavailable $unavailable) {
            self::assertMatchesRegularExpression(
                '~cannot use the table "larder_guest_entries" .*permission denied for schema public.*GRANT CREATE ON '
                    . 'SCHEMA public TO guest~',
                $unavailable->getMessage(),
            );
        }
    }

    public function testDroppedTableIsMadeAgain(): void
    {
        foreach ([
            static fn(Cache $cache): bool => $cache->set('k', 'value'),
            static fn(Cache $cache): bool => $cache->setMany(['k' => 'value']),
            static fn(Cache $cache): bool => $cache->get('k') === null && $cache->add('k', 'value'),
            static fn(Cache $cache): bool => $cache->increment('n') === 1 && $cache->set('k', 'value'),
            static fn(Cache $cache): bool => $cache->clear() && $cache->delete('k') && $cache->set('k', 'value'),
        ] as $n => $work) {
            $other = $this->reopenedCache();
            self::assertTrue($this->cache->set('k', 'old'));
            self::assertContains($other->get('k'), ['old']);
            self::query("DROP TABLE \"larder_{$this->namespace}_entries\"");
            self::assertTrue($work($this->cache), "$n");
            self::assertSame(
                [['k' => 'value'], ['k' => 'value']],
                [$this->cache->getMany(['k']), $other->getMany(['k'])],
            );
        }
    }

    /** Another user could have stored values in it, which would be unserialized. */
    public function testTableOfAnotherUserIsRefused(): void
    {
        self::user('stranger', 'GRANT CREATE ON SCHEMA public TO stranger');
        $theirs = Cache::open(Servers::patiently(
            self::dsnOf(self::server(), 'stranger') . "&namespace=$this->namespace",
        ));
        self::assertTrue($theirs->set('k', 'planted'));
        self::query("GRANT ALL ON \"larder_{$this->namespace}_entries\" TO PUBLIC");
        $ours = $this->with(
            '&timeout=11',
        ); // other tests do not use this timeout, and what is known of a server is kept for each timeout
        self::assertNull($ours->get('k'));
        self::assertFalse($ours->set('k', 1));
        $this->expectException(StoreUnavailable::class);
        $this->expectExceptionMessageMatches('~belongs to another user, stranger.*DROP TABLE~');

        try {
            $ours->reach();
        } finally {
            self::query(
                "DROP TABLE \"larder_{$this->namespace}_entries\"; REVOKE CREATE ON SCHEMA public FROM stranger",
            );
        }
    }

    public function testTableWithOtherColumnsIsRefused(): void
    {
        $table = "\"larder_{$this->namespace}_entries\"";
        foreach ([
            'ALTER value TYPE text',
            'ALTER expires TYPE real',
            'DROP full_key',
            'ADD more int NOT NULL DEFAULT 1',
            "DROP CONSTRAINT \"larder_{$this->namespace}_entries.name\"",
        ] as $n => $change) {
            $connected = $this->with('&timeout=' . 12 + 2 * $n);
            self::assertTrue($connected->setMany(['k' => 'value', 'n' => 1]), $change);
            self::query("ALTER TABLE $table $change");
            $cache = $this->with('&timeout=' . 13 + 2 * $n);
            self::assertSame('a miss', $cache->get('k', 'a miss'), $change);
            self::assertFalse(
                $cache->set('k', 1) || $cache->increment('n') !== false || $cache->add('new', 1),
                $change,
            );
            self::assertThrows(
                StoreUnavailable::class,
                static fn() => $cache->reach(),
                "DROP TABLE $table: it is recreated",
            );
            self::assertContains($connected->get('k', 'a miss'), ['value', 'a miss'], $change);
            self::query("DROP TABLE $table");
        }
    }

    public function testUserWhoMayOnlyReadReads(): void
    {
        self::assertTrue($this->cache->set('k', 'value'));
        self::user('reader', "GRANT SELECT ON \"larder_{$this->namespace}_entries\" TO reader");
        $reader = Cache::open(Servers::patiently(
            self::dsnOf(self::server(), 'reader') . "&namespace=$this->namespace",
        ));
        for ($n = 0; $n < 5; ++$n) {
            self::assertFalse(
                $reader->set('k', 'new') || $reader->add('new', 1) || $reader->delete('k') || $reader->clear()
                    || $reader->increment('n') === 1,
            );
            self::assertSame('value', $reader->get('k'));
        }
    }

    /**
     * A user who may create in a schema of the search path can add objects that are found before the server's own, or
     * fit better.
     */
    #[TestWith(['"$user", public'])]
    #[TestWith(['public, pg_catalog'])]
    public function testOperatorsFunctionsAndTypesOfOthersAreNotUsed(string $path): void
    {
        self::user('victim', 'GRANT CREATE ON SCHEMA public TO victim');
        $planted = ['CREATE TABLE public.planted (ran text)', 'GRANT ALL ON public.planted TO public'];
        $body = static fn(string $result): string => 'LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.planted VALUES '
            . "(current_user); RETURN $result; END \$\$";
        foreach ([
            'int8, int4', 'int8, int8', 'int2, int4', 'float8, int4', 'name, name', 'name, text', 'oid, oid',
            'bytea, bytea', 'text, text', 'xid, xid',
        ] as $types) {
            [$left, $right] = explode(', ', $types);
            foreach ([
                '=' => 'bool', '<>' => 'bool', '<=' => 'bool', '>' => 'bool', '||' => 'text',
            ] as $operator => $result) {
                $function = \sprintf('public."fits %s %s"', $operator, $types);
                $planted[] = "CREATE FUNCTION $function(pg_catalog.$left, pg_catalog.$right) "
                    . "RETURNS pg_catalog.$result " . $body("'true'");
                $planted[] = "CREATE OPERATOR public.$operator (LEFTARG = pg_catalog.$left, "
                    . "RIGHTARG = pg_catalog.$right, FUNCTION = $function)";
            }
        }
        foreach ([
            'current_database()' => 'name', 'current_schema()' => 'name', 'hashtext(text)' => 'int4',
            'to_regclass(text)' => 'regclass', 'format_type(oid, int4)' => 'text',
            'pg_advisory_xact_lock(int4)' => 'bool',
        ] as $function => $result) {
            $planted[] = "CREATE FUNCTION public.$function RETURNS pg_catalog.$result " . $body('NULL');
        }
        foreach (['bytea', 'int8'] as $type) {
            $planted[] = "CREATE DOMAIN public.$type AS pg_catalog.$type";
        }
        self::query('BEGIN; ' . implode('; ', $planted) . "; ALTER ROLE victim SET search_path TO $path; COMMIT");

        try {
            self::query("SET search_path TO $path; SELECT 'a'::name OPERATOR(public.||) 'b'::name");
            self::assertSame(
                ['postgres'],
                self::query('SELECT ran FROM public.planted'),
                'the control: the operator runs',
            );
            foreach (['', '&persistent=1', '&persistent=1'] as $options) {
                $cache = Cache::open(Servers::patiently(
                    self::dsnOf(self::server(), 'victim') . "&namespace=$this->namespace$options&on_failure=throw",
                ));
                self::assertTrue(
                    $cache->setMany(['k' => 'v', 'l' => 1], 60) && $cache->set('k', 'v', 60) && $cache->touch('k', 60)
                        && $cache->replace('k', 'v'),
                );
                self::assertSame(
                    ['v', true, ['k' => 'v', 'l' => 1]],
                    [$cache->get('k'), $cache->has('k'), $cache->getMany(['k', 'l'])],
                );
                self::assertSame([true, 0, 2, true, true, true], [
                    $cache->add('new', 1, 60), $cache->prune(), $cache->increment('l'), $cache->delete('new'),
                    $cache->deleteMany(['l']), $cache->lock('lock', 60)?->release(),
                ]);
                self::assertSame(['k'], [...$cache->keys()]);
                self::assertTrue($cache->clear());
            }
            self::assertSame(['postgres'], self::query('SELECT ran FROM public.planted'));
            self::assertSame(
                ['bigint'],
                self::query(
                    'SELECT format_type(atttypid, -1) '
                        . "FROM pg_attribute WHERE attrelid = 'public.\"larder_{$this->namespace}_entries\"'::regclass "
                        . "AND attname = 'expires'",
                ),
            );
        } finally {
            self::query(
                'DROP OWNED BY victim; ALTER ROLE victim RESET search_path; DROP TABLE public.planted; '
                    . 'DROP DOMAIN public.bytea, public.int8; DO $$ DECLARE f regprocedure; '
                    . "BEGIN FOR f IN SELECT oid FROM pg_proc WHERE pronamespace = 'public'::regnamespace LOOP EXECUTE "
                    . "format('DROP FUNCTION %s CASCADE', f); END LOOP; END \$\$",
            );
        }
    }

    /** Of the server, a database or a user: each may have settings that its own programs need. */
    public function testSettingsOfTheUserDoNotMatter(): void
    {
        self::user('odd', 'GRANT CREATE ON SCHEMA public TO odd');
        foreach ([
            'bytea_output' => 'escape', 'extra_float_digits' => '-15', 'standard_conforming_strings' => 'off',
            'escape_string_warning' => 'on',
            'client_encoding' => 'LATIN1', 'DateStyle' => 'SQL, DMY', 'IntervalStyle' => 'sql_standard',
            'TimeZone' => 'Pacific/Kiritimati',
            'quote_all_identifiers' => 'on', 'transform_null_equals' => 'on', 'array_nulls' => 'off',
            'default_transaction_isolation' => 'serializable',
            'default_transaction_deferrable' => 'on', 'row_security' => 'off', 'synchronize_seqscans' => 'off',
            'backslash_quote' => 'off', 'default_toast_compression' => 'pglz',
        ] as $setting => $value) {
            self::query("ALTER ROLE odd SET $setting = " . ($setting === 'DateStyle' ? $value : "'$value'"));
        }
        $dsn = Servers::patiently(self::dsnOf(self::server(), 'odd') . "&namespace=$this->namespace&on_failure=throw");
        $cache = Cache::open($dsn);
        $bytes = implode('', array_map(chr(...), range(0, 255)));
        // more than fit into one statement
        $keys = array_map(static fn(int $n): string => "$n\\x'\"\xff", range(1, 2500));
        self::assertTrue($cache->setMany(array_fill_keys($keys, $bytes), 60) && $cache->set($bytes, 1.1));
        self::assertSame(
            [$bytes, 1.1, 'miss'],
            [$cache->get($keys[0]), $cache->get($bytes), $cache->get('none', 'miss')],
        );
        self::assertSame(array_fill_keys($keys, $bytes), $cache->getMany($keys));
        self::assertCount(2501, array_intersect([...$cache->keys()], [$bytes, ...$keys]));
        $before = microtime(true);
        self::assertSame([1, 2], [$cache->increment('count', ttl: 1), $cache->increment('count')]);
        $expiry = $cache->expiry('count');
        self::assertTrue($expiry > $before && $expiry < microtime(true) + 1.1, (string) $expiry);
        self::assertTrue($cache->clear());
        self::assertSame([], [...Cache::open($dsn)->keys()]);
        self::query('DROP OWNED BY odd; DROP ROLE odd');
    }

    /** A server, database or user may have this default: of two changes of a row at once, one is then refused. */
    #[TestWith(['repeatable read'])]
    #[TestWith(['serializable'])]
    public function testStrictIsolationRefusesNoChange(string $isolation): void
    {
        self::user(
            'strict',
            'GRANT CREATE ON SCHEMA public TO strict; '
                . "ALTER ROLE strict SET default_transaction_isolation = '$isolation'",
        );
        $dsn = Servers::patiently(
            self::dsnOf(self::server(), 'strict') . "&namespace=$this->namespace&on_failure=throw",
        );
        self::assertTrue(Cache::open($dsn)->set('k', 'old'));
        $refused = $this->inProcesses(static function (Cache $own, int $process) use ($dsn): array {
            $cache = Cache::open($dsn);
            $refused = [];
            for ($n = 0; $n < 200; ++$n) {
                foreach ([
                    'increment' => $cache->increment('count') !== false,
                    'set' => $cache->set('k', "$process $n"),
                    'setMany' => $cache->setMany(['k' => $n, 'l' => $n]),
                    'get' => $cache->get('k') !== null,
                    'delete' => $cache->delete('l') && $cache->deleteMany(['l', 'm']),
                    'collect' => $cache->set('short', 1, 0.001) && $cache->prune() >= 0,
                ] as $call => $isDone) {
                    $refused[$call] = ($refused[$call] ?? 0) + ($isDone ? 0 : 1);
                }
            }

            return array_filter($refused, static fn(int $times): bool => $times > 0);
        });
        self::assertSame([[], [], [], []], $refused);
        self::assertSame(800, Cache::open($dsn)->get('count'));
        self::query('DROP OWNED BY strict; DROP ROLE strict');
    }

    public function testTableIsNotThatOfACacheOverTheApplicationsConnection(): void
    {
        $server = self::server();
        $pdo = new \PDO(
            \sprintf(
                'pgsql:host=%s;port=%d;dbname=%s',
                \dirname($server->socket),
                $server->port,
                PostgreSqlServer::DATABASE,
            ),
            PostgreSqlServer::USER,
            $server->password,
        );
        $over = Cache::over($pdo, 'on_failure=throw');
        self::assertTrue($over->set('k', 'over PDO'));
        foreach ([
            'cache',
            'cache_pkey',
            'cache_expires',
            'cache_entries',
        ] as $namespace) { // the names of that table and its indexes
            $cache = Cache::open(Servers::patiently(self::dsnOf($server) . "&namespace=$namespace&on_failure=throw"));
            self::assertSame(
                [null, true, $namespace],
                [$cache->get('k'), $cache->set('k', $namespace), $cache->get('k')],
            );
            self::assertTrue($cache->clear());
        }
        self::assertSame('over PDO', $over->get('k'));
        self::assertTrue($over->clear());
    }

    /** A worker may use many namespaces, each of which has its own statements. */
    public function testLinkDoesNotGrowWithItsStatements(): void
    {
        $server = self::server();
        $settings = \sprintf(
            'host=%s port=%d dbname=%s user=%s password=%s',
            \dirname($server->socket),
            $server->port,
            PostgreSqlServer::DATABASE,
            PostgreSqlServer::USER,
            $server->password,
        );
        $link = PostgreSqlLink::open(new \SensitiveParameterValue($settings), '', 30.0, false, true);
        self::assertTrue(
            $link->isServedBy((int) pg_fetch_result($link->run('SELECT pg_backend_pid()', [], 30.0), 0, 0)),
        );
        $grown = 0;
        for ($n = 0; $n < 3000; ++$n) {
            $grown = $n === 1000 ? memory_get_usage() : $grown;
            $link->run("SELECT $n", [], 30.0);
        }
        self::assertLessThan(100_000, memory_get_usage() - $grown);
        $link->discard();
    }

    /** With the parent's connection, one process would receive the replies to the other. */
    public function testForkHasAPersistentConnectionOfItsOwn(): void
    {
        $dsn = self::dsnOf(self::server()) . "&namespace=$this->namespace&persistent=1&timeout=30";
        $cache = Cache::open($dsn);
        self::assertTrue($cache->set('parent', 'parent'));
        $forks = array_map(static fn(int $n): Fork => Fork::start(static function () use ($dsn, $n): int {
            $cache = Cache::open($dsn);
            $wrong = 0;
            for ($i = 0; $i < 300; ++$i) {
                $cache->set("child $n", "child $n");
                $wrong += $cache->get("child $n") === "child $n" ? 0 : 1;
            }

            return $wrong;
        }), [1, 2, 3]);
        for ($i = 0; $i < 300; ++$i) {
            self::assertSame('parent', $cache->get('parent'));
        }
        self::assertSame([0, 0, 0], array_map(static fn(Fork $fork): mixed => $fork->result(), $forks));
    }

    public function testSocketMustBeAnAbsolutePath(): void
    {
        foreach (['example.org', '/tmp,example.org'] as $socket) {
            self::assertThrows(
                InvalidDsn::class,
                static fn(): Cache => Cache::open("pgsql://larder@localhost/larder?socket=$socket"),
                'absolute path',
            );
        }
    }

    /** @return iterable<string, array{string}> */
    public static function connections(): iterable
    {
        yield 'one of its own' => ['&timeout=1'];
        yield 'persistent' => ['&timeout=1&persistent=1'];
    }

    /** libpq waits for an answer without a time limit. */
    #[DataProvider('connections')]
    #[Group('waiting')]
    public function testStoppedServerIsNotWaitedFor(string $options): void
    {
        $server = PostgreSqlServer::start(Servers::directory('postgresql-stopped' . bin2hex(random_bytes(4))));
        $cache = Cache::open(self::dsnOf($server) . $options, $log = new RecordingLogger());
        self::assertTrue(Servers::await(static fn(): bool => $cache->set('k', 'value')));
        $processes = [
            (int) $server->pid(),
            (int) self::query("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'larder %'", $server)[0],
        ];
        array_map(Servers::freeze(...), $processes);
        $start = microtime(true);
        self::assertSame('a miss', $cache->get('k', 'a miss'));
        self::assertFalse($cache->set('large', random_bytes(4 << 20)), 'more than the system keeps for the server');
        for ($n = 0; $n < 20; ++$n) {
            self::assertSame('a miss', $cache->get('k', 'a miss'));
        }
        self::assertLessThan(15.0, microtime(true) - $start);
        self::assertMatchesRegularExpression(
            '~^warning: pgsql at \S+ is away: .*(did not reply within 1 s|timeout|cannot connect)~',
            $log->entries()[0] ?? '',
        );
        array_map(static fn(int $process): bool => posix_kill($process, \SIGCONT), $processes);
        self::assertTrue(Servers::await(static fn(): bool => $cache->get('k') === 'value'));
        self::assertTrue(Servers::await(
            static fn(): bool => $cache->set('k', 'new') && $cache->getMany(['k']) === ['k' => 'new'],
        ));
        $server->stop();
    }

    /** A cancelled statement is not executed later. */
    public function testLockedRowIsCancelledByTheServerToo(): void
    {
        $cache = Cache::open(self::dsnOf(self::server()) . "&namespace=$this->namespace&timeout=0.5&on_failure=throw");
        self::assertTrue($this->cache->set('k', 'old'));
        $other = self::administrator(self::server());
        pg_query($other, "BEGIN; SELECT FROM \"larder_{$this->namespace}_entries\" FOR UPDATE");
        $start = microtime(true);

        self::assertThrows(
            StoreFailed::class,
            static fn(): bool => $cache->set('k', 'late'),
            'reply within 0.5 s',
        ); // a stopped server does not accept connections either
        self::assertLessThan(15.0, microtime(true) - $start);
        self::assertSame('old', $this->cache->get('k'), 'readers do not wait');
        pg_query($other, 'COMMIT');
        usleep(200_000);
        self::assertSame('old', $this->cache->get('k'));
    }

    /** pg_dump does this. */
    public function testClearDoesNotWaitForABackup(): void
    {
        $this->cache->setMany(array_fill_keys(range(1, 2500), 'value'));
        $backup = self::administrator(self::server());
        pg_query($backup, "BEGIN; LOCK TABLE \"larder_{$this->namespace}_entries\" IN ACCESS SHARE MODE");
        $cache = Cache::open(self::dsnOf(self::server()) . "&namespace=$this->namespace&timeout=30&on_failure=throw");
        self::assertTrue($cache->clear());
        self::assertSame([], [...$cache->keys()]);
        pg_query($backup, 'COMMIT');
    }

    public function testSignalHandlerMayUseTheCacheWhileItWaits(): void
    {
        $answers = Fork::run(function (): array {
            $cache = $this->reopenedCache();
            $cache->setMany(['outer' => 'outer', 'inner' => 'inner']);
            $inner = [];
            pcntl_async_signals(true);
            pcntl_signal(\SIGUSR1, static function () use ($cache, &$inner): void {
                $inner[] = $cache->get('inner');
            });
            $me = (int) getmypid();
            $sender = Fork::start(static function () use ($me): void {
                while (posix_kill($me, \SIGUSR1)) {
                    usleep(3_000);
                }
            });
            $outer = [];
            for ($start = microtime(true); microtime(true) < $start + (\count($inner) > 50 ? 1.0 : 60.0);) {
                $outer[] = $cache->get('outer');
            }
            pcntl_signal(\SIGUSR1, \SIG_IGN);
            $sender->kill();

            return [
                array_filter($outer, static fn(mixed $value): bool => $value !== 'outer'),
                array_filter($inner, static fn(mixed $value): bool => $value !== 'inner'),
                \count($inner) > 50,
            ];
        });
        self::assertSame([[], [], true], $answers);
    }

    public function testForkLeavesTheConnectionOfItsParent(): void
    {
        foreach (['', '&persistent=1'] as $option) {
            $cache = $this->with($option);
            self::assertTrue($cache->set('k', 'of the parent'));
            $before = self::query(
                "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'larder %' ORDER BY pid",
            );
            self::assertSame('of the parent', Fork::run(static fn(): mixed => $cache->get('k')));
            self::assertSame('of the parent', $cache->get('k'));
            self::assertSame(
                [],
                array_diff(
                    $before,
                    self::query("SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'larder %'"),
                ),
            );
        }
    }

    /** Like behind a pooler, which may pass the next statement to another process of the server. */
    public function testStatementsThatThePoolerForgetsArePreparedNoMore(): void
    {
        $connection = new PostgreSqlConnection(
            Endpoint::unix(self::server()->socket),
            'larder',
            'larder',
            self::server()->password,
        );
        $statements = new PostgreSqlStatements($connection, new PostgreSqlTable($this->namespace));
        $store = new RemoteSqlStore($statements, $this->namespace, isShared: false);
        for ($n = 0; $n < 20; ++$n) {
            self::assertTrue($store->set('k', $n));
            self::assertSame($n, $store->get('k'));
            $statements->change('DEALLOCATE ALL', []);
        }
    }

    #[Group('waiting')]
    public function testNonsenseOnTheWayGivesMissesAndNoWarnings(): void
    {
        $proxy = Proxy::before(self::server()->socket);
        $socket = \dirname($proxy->socket) . '/.s.PGSQL.1';
        symlink($proxy->socket, $socket);
        $cache = Cache::open(
            \sprintf(
                'pgsql://larder:%s@/larder?socket=%s&namespace=%s&timeout=0.5',
                self::server()->password,
                $socket,
                $this->namespace,
            ),
            new NullLogger(),
        );
        self::assertTrue($this->cache->set('k', 'value'));
        $heard = [];
        foreach (['garbage', 'half 3', 'drop 3', 'drop 200', 'late 1', 'silent', 'refuse'] as $trouble) {
            $proxy->does($trouble);
            $start = microtime(true);
            set_error_handler(static function (int $level, string $message) use (&$heard): bool {
                $heard[] = $message;

                return true;
            });
            for ($n = 0; $n < 10; ++$n) {
                self::assertContains($cache->get('k', 'a miss'), ['value', 'a miss'], $trouble);
            }
            restore_error_handler();
            self::assertLessThan(30.0, microtime(true) - $start, $trouble);
            $proxy->does('pass');
            self::assertTrue(Servers::await(static fn(): bool => $cache->get('k') === 'value'), $trouble);
        }
        self::assertSame([], $heard);
        $proxy->stop();
    }

    public function testWritesRemoveExpiredRows(): void
    {
        $rows = fn(): int => (int) self::query("SELECT count(*) FROM \"larder_{$this->namespace}_entries\"")[0];
        $this->cache->set('stays', 1);
        self::assertTrue($this->cache->setMany(
            array_fill_keys(array_map(static fn(int $n): string => "old$n", range(1, 1000)), 'value'),
            60,
        ));
        $this->expireRows();
        self::assertSame(1001, $rows(), 'the control: without writes they stay');
        for ($n = 0; $n < 600; ++$n) {
            $this->cache->set('new', 'value', 3600);
        }
        self::assertLessThan(600, $rows());
        self::assertTrue($this->cache->setMany(array_fill_keys(range(1, 1000), 'value')));
        self::assertSame(1002, $rows(), 'a write of many removes the rest');
        self::assertSame(1, $this->cache->get('stays'));
    }

    public function testPruneRemovesExpiredRows(): void
    {
        self::assertTrue($this->cache->setMany(array_fill_keys(range(1, 2500), 'value'), 60));
        self::assertTrue($this->cache->set('stays', 1) && $this->cache->set('lives', 2, 2 * self::HOUR));
        $this->expireRows();
        self::assertSame(2500, $this->cache->prune());
        self::assertSame(['2'], self::query("SELECT count(*) FROM \"larder_{$this->namespace}_entries\""));
    }

    /** If two statements wait for each other, PostgreSQL ends one after a second. */
    public function testWritersDoNotWaitForEachOtherInACircle(): void
    {
        $refused = $this->inProcesses(static function (Cache $cache, int $process): int {
            $refused = 0;
            for ($n = 0; $n < 60; ++$n) {
                $keys = array_map(static fn(): string => 'k' . random_int(0, 50), range(0, 40));
                $refused += (int) !$cache->setMany(array_fill_keys($keys, 'value'), 0.01);
                $refused += (int) ($n % 5 === $process && !$cache->clear());
                $cache->prune();
            }

            return $refused;
        });
        self::assertSame([0, 0, 0, 0], $refused);
        self::assertSame(['0'], self::query("SELECT deadlocks FROM pg_stat_database WHERE datname = 'larder'"));
    }

    /** A statement accepts 65,535 parameters. */
    public function testMoreKeysAreReadAtOnceThanAStatementTakesParameters(): void
    {
        $keys = array_map(static fn(int $n): string => "k$n", range(1, 66_000));
        self::assertTrue($this->cache->setMany(['k1' => 1, 'k40000' => 40_000, 'k66000' => 66_000]));
        $found = $this->cache->getMany($keys);
        self::assertSame($keys, array_keys($found));
        self::assertSame(['k1' => 1, 'k40000' => 40_000, 'k66000' => 66_000], array_filter($found, is_int(...)));
    }

    private static function server(): PostgreSqlServer
    {
        self::$memory ??= new TemporaryDirectory('/dev/shm'); // a disk may be busy for seconds

        return self::$server ??= PostgreSqlServer::start(self::$memory->path);
    }

    private function with(string $options): Cache
    {
        $timeout = str_contains($options, 'timeout=') ? '' : Servers::PATIENTLY;

        return Cache::open(
            self::dsnOf(self::server()) . "&namespace=$this->namespace$timeout$options",
            new NullLogger(),
        );
    }

    private static function dsnOf(PostgreSqlServer $server, string $user = PostgreSqlServer::USER): string
    {
        return \sprintf(
            'pgsql://%s:%s@/%s?socket=%s',
            $user,
            $server->password,
            PostgreSqlServer::DATABASE,
            $server->socket,
        );
    }

    /** Another user of the database, with the same password. */
    private static function user(string $name, string $grant): void
    {
        $exists = self::query("SELECT FROM pg_roles WHERE rolname = '$name'") !== [];
        self::query(
            ($exists ? '' : \sprintf("CREATE ROLE %s LOGIN PASSWORD '%s'; ", $name, self::server()->password)) . $grant,
        );
    }

    private static function administrator(
        PostgreSqlServer $server,
        string $database = PostgreSqlServer::DATABASE,
    ): Connection {
        $connection = pg_connect(\sprintf(
            'host=%s port=%d dbname=%s user=%s password=%s',
            \dirname($server->socket),
            $server->port,
            $database,
            PostgreSqlServer::ADMINISTRATOR,
            $server->password,
        ), \PGSQL_CONNECT_FORCE_NEW);
        self::assertNotFalse($connection);

        return $connection;
    }

    /** Simulates an hour: on a busy machine, storing rows may take longer than a short ttl. */
    private function expireRows(): void
    {
        self::query(
            "UPDATE \"larder_{$this->namespace}_entries\" SET expires = expires - " . self::HOUR
                . '000000 WHERE expires > 0',
        );
    }

    /** @return list<string|null> the first column of the administrator's result */
    private static function query(string $sql, ?PostgreSqlServer $server = null): array
    {
        $result = pg_query(self::administrator($server ?? self::server()), $sql);
        self::assertNotFalse($result, $sql);
        /** @var list<string|null> $column */
        $column = pg_num_fields($result) === 0
            ? array_fill(0, pg_num_rows($result), '')
            : pg_fetch_all_columns($result);

        return $column;
    }
}
