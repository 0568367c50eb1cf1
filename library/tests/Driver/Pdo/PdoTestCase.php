<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Pdo;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\Store;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreFailed;
use Larder\Testing\AllContracts;
use Larder\Testing\StoreTestCase;
use Larder\Tests\Driver\RefusesAFork;
use Larder\Tests\RecordingLogger;
use PHPUnit\Framework\Attributes\DataProvider;
use Psr\Log\NullLogger;

/** Tests for all databases: a cache over a PDO object of the application. */
abstract class PdoTestCase extends StoreTestCase
{
    use AllContracts;
    use RefusesAFork;

    /** @param array<int, mixed> $options */
    abstract protected static function pdo(array $options = []): \PDO;

    /** Number of connections to the server, without the one that counts; null without a server. */
    abstract protected static function connections(): ?int;

    /** Starts the server here, because otherwise a fork that connects first would start its own. */
    public static function setUpBeforeClass(): void
    {
        static::pdo();
    }

    protected function open(string $namespace): Store
    {
        return Cache::over(static fn(): \PDO => static::pdo(), 'namespace=' . $namespace)->store();
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    protected function isLocal(): bool
    {
        return false;
    }

    public function testFunctionThatDoesNotConnectIsAnOutage(): void
    {
        $connect = static fn(): \PDO => throw new \RuntimeException(
            'An exception occurred in the driver: SQLSTATE[HY000] [2002] Connection refused',
        );
        self::assertFalse(Cache::over($connect, 'namespace=refused', new NullLogger())->set('k', 'v'));
        self::assertSame('default', Cache::over($connect, 'namespace=refused', new NullLogger())->get('k', 'default'));
        self::assertThrows(
            StoreFailed::class,
            static fn() => Cache::over($connect, 'namespace=refused&on_failure=throw', new NullLogger())->get('k'),
            'Connection refused',
        );
    }

    /** @return iterable<string, array{array<int, mixed>}> */
    public static function settings(): iterable
    {
        yield 'silent' => [[\PDO::ATTR_ERRMODE => \PDO::ERRMODE_SILENT]];
        yield 'warnings' => [[\PDO::ATTR_ERRMODE => \PDO::ERRMODE_WARNING]];
        yield 'objects, upper case, strings' => [[
            \PDO::ATTR_DEFAULT_FETCH_MODE => \PDO::FETCH_OBJ,
            \PDO::ATTR_CASE => \PDO::CASE_UPPER,
            \PDO::ATTR_STRINGIFY_FETCHES => true,
            \PDO::ATTR_ORACLE_NULLS => \PDO::NULL_EMPTY_STRING,
        ]];
        yield 'emulated' => [[\PDO::ATTR_EMULATE_PREPARES => true]];
        yield 'prepared by the server' => [[\PDO::ATTR_EMULATE_PREPARES => false]];
    }

    /** @param array<int, mixed> $options */
    #[DataProvider('settings')]
    public function testWorksWithEverySettingAndChangesNone(array $options): void
    {
        $pdo = static::pdo($options);
        $before = self::attributes($pdo);
        $cache = Cache::over($pdo, 'namespace=settings&on_failure=throw');
        $bytes = implode('', array_map(chr(...), range(0, 255))) . "\\'\"\0\xBF\x5C\x27";
        self::assertTrue($cache->set($bytes, $bytes) && $cache->setMany(['l' => [1.5], 'm' => null], 60));
        self::assertSame(
            [$bytes => $bytes, 'l' => [1.5], 'm' => null, 'n' => 'none'],
            $cache->getMany([$bytes, 'l', 'm', 'n'], 'none'),
        );
        self::assertSame([3, 5, true], [$cache->increment('c', 3), $cache->increment('c', 2), $cache->touch('c', 60)]);
        self::assertTrue(
            $cache->touch('c', 60) && $cache->swap('c', 5, 5) && $cache->replace('c', 6),
            'also where nothing changes',
        );
        self::assertEqualsCanonicalizing([$bytes, 'l', 'm', 'c'], [...$cache->keys()]);
        self::assertGreaterThan(microtime(true), $cache->expiry('l'));
        self::assertTrue($cache->lock('lock', 5)?->release());
        self::assertTrue($cache->clear());
        self::assertSame($before, self::attributes($pdo));
    }

    public function testStatementsOfTheApplicationsClassAreNotUsed(): void
    {
        $own = new class extends \PDOStatement {
            public function fetchAll(int $mode = \PDO::FETCH_DEFAULT, mixed ...$arguments): array
            {
                return ['its', 'own'];
            }
        };
        $pdo = static::pdo([\PDO::ATTR_STATEMENT_CLASS => [$own::class]]);
        $cache = Cache::over($pdo, 'namespace=class&on_failure=throw');
        self::assertTrue($cache->set('k', 1));
        self::assertSame(1, $cache->get('k'));
        self::assertTrue($cache->clear());
        self::assertInstanceOf($own::class, $pdo->query('SELECT 1'));
    }

    public function testNothingIsDoneInATransactionOfTheApplication(): void
    {
        foreach (['commit', 'rollBack'] as $end) {
            $pdo = static::pdo();
            $pdo->exec('DROP TABLE IF EXISTS own');
            $pdo->exec('CREATE TABLE own (v INTEGER)');
            $log = new RecordingLogger();
            $cache = Cache::over($pdo, 'namespace=transaction', $log);
            $other = Cache::over(static::pdo(), 'namespace=transaction');
            self::assertTrue($cache->set('k', 1));
            $pdo->beginTransaction();
            $pdo->exec('INSERT INTO own VALUES (7)');
            self::assertSame(['miss', false, false, false, false], [
                $cache->get('k', 'miss'), $cache->set('k', 2), $cache->delete('k'), $cache->clear(),
                $cache->increment('n'),
            ]);
            self::assertThrows(
                StoreFailed::class,
                static fn() => Cache::over($pdo, 'namespace=transaction&on_failure=throw')->get('k'),
                'transaction open',
            );
            self::assertNull($cache->lock('l', 5));
            self::assertTrue($pdo->inTransaction());
            self::assertSame(1, $other->get('k'));
            $end === 'commit' ? $pdo->commit() : $pdo->rollBack();
            self::assertSame(
                [1, true, []],
                [$cache->get('k'), $cache->set('k', 2), $log->entries()],
                'and it is no outage',
            );
            $count = $pdo->query('SELECT v FROM own');
            self::assertCount($end === 'commit' ? 1 : 0, $count === false ? [] : $count->fetchAll());
            self::assertTrue($cache->clear());
        }
    }

    public function testTransactionBegunBySqlIsSeen(): void
    {
        $pdo = static::pdo();
        $cache = Cache::over($pdo, 'namespace=sql');
        self::assertTrue($cache->set('k', 1));
        $pdo->exec('BEGIN');
        self::assertSame([null, false], [$cache->get('k'), $cache->set('k', 2)]);
        $pdo->exec('ROLLBACK');
        self::assertSame(1, $cache->get('k'), 'the application could roll back, and nothing was in it');
        self::assertTrue($cache->clear());
    }

    public function testNoSecondConnectionIsOpened(): void
    {
        $pdo = static::pdo();
        $before = self::leastConnections();
        $caches = [];
        foreach (range(1, 5) as $n) {
            $caches[$n] = Cache::over($pdo, "namespace=shared$n");
            self::assertTrue($caches[$n]->set('k', $n));
        }
        self::assertLessThanOrEqual($before, self::leastConnections());
        foreach (range(1, 5) as $n) {
            $cache = Cache::over($pdo, "namespace=shared$n");
            self::assertSame($n, $cache->get('k'));
            self::assertTrue($cache->clear());
        }
    }

    /**
     * The minimum of several counts: the server closes connections of earlier tests, and those that count, after some
     * time.
     */
    private static function leastConnections(): ?int
    {
        $least = static::connections();
        for ($looks = 0; $least !== null && $looks < 20; ++$looks) {
            usleep(20_000);
            $least = min($least, static::connections() ?? 0);
        }

        return $least;
    }

    public function testForkDoesNotUseTheClientOfItsParent(): void
    {
        $cache = Cache::over(static::pdo(), 'namespace=fork&on_failure=throw', new NullLogger());
        self::assertForkIsRefused('its parent uses the client', $cache);
    }

    /** Otherwise parent and child would receive each other's replies. */
    public function testPersistentConnectionIsNotUsedInAFork(): void
    {
        $connect = static fn(): \PDO => static::pdo([\PDO::ATTR_PERSISTENT => true]);
        $cache = Cache::over($connect, 'namespace=persistent&on_failure=throw', new NullLogger());
        self::assertForkIsRefused("persistent connection of the client is its parent's", $cache);
    }

    public function testDroppedTableIsMadeAgain(): void
    {
        $pdo = static::pdo();
        $cache = Cache::over($pdo, 'namespace=dropped');
        self::assertTrue($cache->set('k', 1));
        $pdo->exec('DROP TABLE larder_cache');
        self::assertSame([null, true, 2], [$cache->get('k'), $cache->set('k', 2), $cache->get('k')]);
        self::assertTrue($cache->clear());
    }

    public function testOptionsOfTheConnectionAreRefused(): void
    {
        foreach (['timeout=1', 'persistent=1', 'engine=myisam'] as $options) {
            self::assertThrows(InvalidDsn::class, static fn() => Cache::over(static::pdo(), $options));
        }
    }

    /** @return array<string, mixed> */
    private static function attributes(\PDO $pdo): array
    {
        $attributes = [];
        foreach ((new \ReflectionClass(\PDO::class))->getConstants() as $name => $constant) {
            if (str_starts_with($name, 'ATTR_') && \is_int($constant) && $name !== 'ATTR_SERVER_INFO') {
                try {
                    $attributes[$name] = @$pdo->getAttribute($constant);
                } catch (\PDOException) {
                    $attributes[$name] = null;
                }
            }
        }

        return $attributes;
    }
}
