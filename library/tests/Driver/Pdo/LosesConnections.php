<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Pdo;

use Larder\Cache;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Exception\StoreUnavailable;
use Larder\Testing\Fork;
use Larder\Tests\Driver\Current;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\TestWith;
use Psr\Log\NullLogger;

/** Tests for the databases that are servers. */
trait LosesConnections
{
    /** Ends the connection, like an administrator, or a time limit of the server. */
    abstract protected static function breakOff(\PDO $pdo): void;

    /** Frameworks do this: they replace a lost object by a new one. */
    public function testClosureIsCalledAgainAfterALostConnection(): void
    {
        $current = new Current($first = static::pdo());
        $cache = Cache::over(static fn(): \PDO => self::pdoOf($current), 'namespace=again', new NullLogger());
        $ofTheFirst = Cache::over($first, 'namespace=again', new NullLogger());
        self::assertTrue($cache->set('k', 1) && $ofTheFirst->set('k', 1));
        static::breakOff($first);
        self::assertFalse($cache->has('k'));
        $current->client = static::pdo();
        self::assertTrue(Servers::await(static fn(): bool => $cache->get('k') === 1));
        self::assertSame(2, $current->calls);
        self::assertNull($ofTheFirst->get('k'), 'the control: a cache over the object itself');
        self::assertTrue($cache->clear());
    }

    /** Its transaction has ended with the connection, but PDO reports it as open. */
    #[TestWith([\PDO::ERRMODE_EXCEPTION])]
    #[TestWith([\PDO::ERRMODE_SILENT])]
    public function testClosureIsCalledAgainAfterATransactionEndedWithItsConnection(int $mode): void
    {
        $current = new Current($first = static::pdo([\PDO::ATTR_ERRMODE => $mode]));
        $cache = Cache::over(static fn(): \PDO => self::pdoOf($current), 'namespace=again', new NullLogger());
        self::assertTrue($cache->set('k', 1));
        $first->beginTransaction();
        static::breakOff($first);

        try {
            @$first->query('SELECT 1');
        } catch (\PDOException) {
            // the application notices it first
        }
        self::assertTrue($first->inTransaction());
        $current->client = static::pdo();
        self::assertSame(1, $cache->get('k'), 'at once');
        self::assertTrue($cache->clear());
    }

    /** With another object, the call would run outside of the transaction. */
    public function testClosureIsNotCalledAgainInATransaction(): void
    {
        $current = new Current($first = static::pdo());
        $log = new RecordingLogger();
        $cache = Cache::over(static fn(): \PDO => self::pdoOf($current), 'namespace=again', $log);
        self::assertTrue($cache->set('k', 1));
        $current->client = static::pdo();
        $first->beginTransaction();
        for ($end = hrtime(true) + 1_200_000_000; hrtime(true) < $end; usleep(100_000)) {
            self::assertSame([null, false], [$cache->get('k'), $cache->set('k', 2)]);
        }
        self::assertTrue($first->inTransaction() && $first->commit());
        self::assertSame([1, 1, []], [$cache->get('k'), $current->calls, $log->entries()]);
        self::assertTrue($cache->clear());
    }

    public function testForkIsGivenNoObjectThatItsParentHasLost(): void
    {
        $current = new Current($lost = static::pdo());
        $cache = Cache::over(static fn(): \PDO => self::pdoOf($current), 'namespace=again', new NullLogger());
        self::assertTrue($cache->set('k', 1));
        static::breakOff($lost);
        self::assertNull($cache->get('k'));
        $inAFork = static fn(?object $client): mixed
            => Fork::run(static function () use ($cache, $current, $client): string {
                $current->client = $client ?? static::pdo();

                try {
                    $cache->reach();
                } catch (StoreUnavailable $none) {
                    return $none->what;
                }

                return 'reached';
            });
        self::assertStringContainsString('its parent uses the client', serialize($inAFork($lost)));
        $current->client = static::pdo();
        $cache->reach();
        self::assertStringContainsString('its parent uses the client', serialize($inAFork($lost)));
        self::assertSame('reached', $inAFork(null), 'the control: an object of its own');
        self::assertSame(1, $cache->get('k'));
        self::assertTrue($cache->clear());
    }

    public function testConnectionsOfOneServerHaveTheSameLocalCopies(): void
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $over = static fn(string $options): Cache
            => Cache::over(static::pdo(), $options, local: "file://$folder->path/copies");
        $first = $over('namespace=copies&poll=0&on_failure=throw');
        self::assertTrue($first->set('k', 1));
        self::assertTrue(Cache::over(static::pdo(), 'namespace=copies')->delete('k'));
        self::assertSame(1, $over('namespace=copies&poll=0&on_failure=throw')->get('k'));
        self::assertNull($over('namespace=others&poll=0&on_failure=throw')->get('k'));
        self::assertTrue($first->clear());
    }

    private static function pdoOf(Current $current): \PDO
    {
        $pdo = $current->get();

        return $pdo instanceof \PDO ? $pdo : self::fail('no object of PDO');
    }
}
