<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\PostgreSql\PgBouncer;

use Larder\Cache;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Contract\Capability;
use Larder\Exception\StoreUnavailable;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * A pooler lends one session of the server to several programs in turn. The contracts are tested in transaction mode.
 */
final class PgBouncerTest extends DriverTestCase
{
    /**
     * The state that a session has in addition to its initial one, as lines of text: none, unless a program has left
     * some.
     */
    private const STATE = <<<'SQL'
        SELECT concat('setting ', name, ' = ', setting) FROM pg_settings WHERE source = 'session' AND name NOT IN ('application_name', 'client_encoding')
        UNION ALL SELECT concat('prepared: ', statement) FROM pg_prepared_statements
        UNION ALL SELECT concat('lock: ', locktype, ' ', mode) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype NOT IN ('virtualxid', 'relation')
        UNION ALL SELECT concat('temporary: ', relname) FROM pg_class WHERE relnamespace = pg_my_temp_schema()
        UNION ALL SELECT concat('listens: ', channel) FROM pg_listening_channels() AS channel
        UNION ALL SELECT concat('cursor: ', name) FROM pg_cursors WHERE statement NOT LIKE '%pg_cursors%'
        SQL;

    private static ?TemporaryDirectory $memory = null;
    private static ?PostgreSqlServer $server = null;
    private static ?PgBouncer $pooler = null;

    public static function dsn(string $namespace): string
    {
        self::$pooler ??= PgBouncer::before(self::server(), 'transaction', sessions: 2);

        return Servers::patiently(self::$pooler->dsn() . '&namespace=' . $namespace);
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    protected function isLocal(): bool
    {
        return false;
    }

    public static function tearDownAfterClass(): void
    {
        self::$pooler?->stop();
        self::$server?->stop();
        self::$pooler = self::$server = self::$memory = null;
    }

    /** @return iterable<string, array{'session'|'transaction'|'statement'}> */
    public static function modes(): iterable
    {
        yield 'session' => ['session'];
        yield 'transaction' => ['transaction'];
        yield 'statement' => ['statement'];
    }

    /** @param 'session'|'transaction'|'statement' $mode */
    #[DataProvider('modes')]
    public function testNothingOutlivesATransaction(string $mode): void
    {
        // In session mode a client keeps a session until it disconnects, and the session is then cleaned. Not so here.
        $pooler = PgBouncer::before(self::server(), $mode, settings: [
            'server_reset_query' => '',
            'ignore_startup_parameters' => 'options',
        ]);
        $application = $pooler->answer(...);
        $application('CREATE TABLE IF NOT EXISTS orders (id int)');
        [$session] = $application('SELECT pg_backend_pid()');
        self::assertSame([], $application(self::STATE));

        $cache = Cache::open(Servers::patiently($pooler->dsn() . "&namespace=$this->namespace&on_failure=throw"));
        for ($n = 0; $n < 5; ++$n) { // a statement that is run often may be prepared
            self::assertTrue($cache->set('k', $n) && $cache->setMany(['l' => 1, 'm' => 2], 60));
            self::assertSame([$n, 'miss', true], [$cache->get('k'), $cache->get('none', 'miss'), $cache->has('l')]);
            self::assertSame(['k' => $n, 'm' => 2], $cache->getMany(['k', 'm']));
            self::assertSame($n + 1, $cache->increment('count'));
            self::assertTrue(
                $cache->add("new $n", 1, 60) && $cache->touch('k', 60) && $cache->replace('l', 2)
                    && $cache->delete('m'),
            );
            $lock = $cache->lock('lock', 30);
            self::assertNotNull($lock);
            self::assertTrue($lock->renew(30) && $lock->release());
            self::assertSame("made $n", $cache->remember("made $n", 60, static fn(): string => "made $n", tags: ['t']));
            self::assertTrue($cache->invalidateTags(['t']));
            self::assertContains('k', [...$cache->keys()]);
            $cache->prune();
        }
        self::assertTrue($cache->clear());
        unset($cache, $lock);
        gc_collect_cycles();

        self::assertSame([$session], $application('SELECT pg_backend_pid()'), 'the same session');
        self::assertSame([], $application(self::STATE));
        self::assertSame(['0'], $application('SELECT count(*) FROM orders'));

        $application("SELECT set_config('search_path', 'pg_catalog', false)");
        self::assertSame(
            ['setting search_path = pg_catalog'],
            $application(self::STATE),
            'the control: a program that leaves its search path',
        );
        $pooler->stop();
    }

    /** Behind a pooler, programs let PDO prepare nothing in the server. The cache then prepares nothing either. */
    #[TestWith([\PDO::ATTR_EMULATE_PREPARES])]
    #[TestWith([\PHP_VERSION_ID < 80_400 ? \PDO::PGSQL_ATTR_DISABLE_PREPARES : \Pdo\Pgsql::ATTR_DISABLE_PREPARES])]
    public function testCacheOverTheApplicationsConnectionLeavesNothing(int $attribute): void
    {
        $pooler = PgBouncer::before(self::server(), 'transaction', settings: ['server_reset_query' => '']);
        [$session] = $pooler->answer('SELECT pg_backend_pid()');
        $pdo = $pooler->pdo([$attribute => true]);
        $cache = Cache::over($pdo, "namespace=$this->namespace&on_failure=throw");
        for ($n = 0; $n < 3; ++$n) {
            self::assertTrue(
                $cache->set('k', $n, 60) && $cache->touch('k', 60) && $cache->setMany(['l' => 1, 'm' => 2]),
            );
            self::assertSame(
                [$n, $n + 1, ['l' => 1]],
                [$cache->get('k'), $cache->increment('count'), $cache->getMany(['l'])],
            );
            self::assertTrue($cache->lock('lock', 60)?->release());
        }
        self::assertSame([$session], $pooler->answer('SELECT pg_backend_pid()'));
        self::assertSame([], $pooler->answer(self::STATE));
        self::assertTrue($cache->clear());
        $pooler->stop();
    }

    /** @param 'session'|'transaction'|'statement' $mode */
    #[DataProvider('modes')]
    public function testProcessesShareSessions(string $mode): void
    {
        $pooler = PgBouncer::before(self::server(), $mode, sessions: $mode === 'session' ? 10 : 2);
        $dsn = Servers::patiently($pooler->dsn() . "&namespace=$this->namespace&on_failure=throw");
        $work = function (Cache $own, int $process) use ($dsn): int {
            $cache = Cache::open($dsn);
            $wrong = 0;
            for ($n = 0; $n < 100; ++$n) {
                $wrong += $cache->set("of $process", "$process $n") && $cache->get("of $process") === "$process $n"
                    ? 0
                    : 1;
                $wrong += \is_int($cache->increment('count')) ? 0 : 1;
            }

            return $wrong;
        };
        self::assertSame([0, 0, 0, 0], $this->inProcesses($work));
        self::assertSame(400, Cache::open($dsn)->get('count'));
        $pooler->stop();
    }

    /** For example, a program runs SET in transaction mode: its search path then applies to the next client. */
    public function testSearchPathOfAnotherProgramIsNotFollowed(): void
    {
        $pooler = PgBouncer::before(self::server(), 'transaction');
        $pooler->answer('CREATE SCHEMA IF NOT EXISTS other');
        $dsn = Servers::patiently($pooler->dsn() . "&namespace=$this->namespace&on_failure=throw");
        self::assertTrue(Cache::open($dsn)->set('k', 'value'));
        $pooler->answer('SET search_path TO other');
        self::assertSame('value', Cache::open($dsn)->get('k'));
        self::assertSame(['other'], $pooler->answer('SHOW search_path'), 'and it stays as it was');
        $pooler->stop();
    }

    /** @param array<string, string> $settings */
    #[TestWith([[]])]
    #[TestWith([['ignore_startup_parameters' => 'options']])]
    public function testPoolerThatTakesNoOptionsIsUsed(array $settings): void
    {
        $pooler = PgBouncer::before(self::server(), 'transaction', settings: $settings);
        $cache = Cache::open(Servers::patiently($pooler->dsn() . "&namespace=$this->namespace&on_failure=throw"));
        self::assertTrue($cache->set('k', 'value'));
        self::assertSame('value', $cache->get('k'));
        $pooler->stop();
    }

    /** PHP runs RESET ALL when it takes a persistent connection again, which undoes the pooler's own settings. */
    public function testPersistentConnectionToAPoolerIsRefused(): void
    {
        $pooler = PgBouncer::before(
            self::server(),
            'transaction',
            connectQuery: 'SET search_path TO pg_catalog, public',
        );
        self::assertSame(['pg_catalog, public'], $pooler->answer('SHOW search_path'));
        $cache = Cache::open(Servers::patiently($pooler->dsn() . "&namespace=$this->namespace&persistent=1"));
        self::assertThrows(
            StoreUnavailable::class,
            static fn() => $cache->reach(),
            'Leave out persistent=1: the pooler keeps the connections',
        );
        self::assertSame(['pg_catalog, public'], $pooler->answer('SHOW search_path'));
        self::assertNotSame([false, false], [pg_pconnect($pooler->settings()), pg_pconnect($pooler->settings())]);
        self::assertSame(['"$user", public'], $pooler->answer('SHOW search_path'), 'the control: PHP alone');
        $pooler->stop();
    }

    private static function server(): PostgreSqlServer
    {
        self::$memory ??= new TemporaryDirectory('/dev/shm'); // a disk may be busy for seconds

        return self::$server ??= PostgreSqlServer::start(self::$memory->path);
    }
}
