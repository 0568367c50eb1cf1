<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Sqlite;

use Larder\Cache;
use Larder\Codec\Codec;
use Larder\Codec\Failures;
use Larder\Contract\Capability;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Sql\SqlStore;
use Larder\Internal\Driver\Sqlite\SqliteConnection;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;

final class SqliteTest extends DriverTestCase
{
    public static function dsn(string $namespace): string
    {
        return \sprintf('sqlite://%s/cache.sqlite?namespace=%s', Servers::directory('sqlite'), $namespace);
    }

    protected function capabilities(): array
    {
        return Capability::cases();
    }

    protected function plantNeighbour(): void
    {
        $database = self::raw('sqlite/cache.sqlite');
        $database->exec('CREATE TABLE IF NOT EXISTS others (v INT)');
        $database->exec('INSERT INTO others VALUES (1)');
    }

    protected function neighbourIsThere(): bool
    {
        return self::first('sqlite/cache.sqlite', 'SELECT v FROM others') === 1;
    }

    /** One class serves several databases. */
    public function testMessagesNameTheDatabase(): void
    {
        self::assertSame('sqlite', Capability::nameOf($this->store));
    }

    public function testFileIsPrivateAndInWalMode(): void
    {
        $file = Servers::directory('sqlite-new') . '/cache.sqlite';
        Cache::open('sqlite://' . $file)->set('k', 1);
        self::assertSame('600', decoct((int) fileperms($file) & 0o777));
        self::assertSame('wal', self::first('sqlite-new/cache.sqlite', 'PRAGMA journal_mode'));
    }

    public function testManyProcessesMayCreateAFileAtOnce(): void
    {
        $start = microtime(true) + 0.1;
        $forks = [];
        for ($n = 0; $n < 8; ++$n) {
            $forks[] = Fork::start(static function () use ($start, $n): array {
                $stored = [];
                for ($file = 0; $file < 10; ++$file) {
                    usleep((int) max(0, 1e6 * ($start + $file * 0.025 - microtime(true))));
                    $stored[] = Cache::open(self::rush($file))->set('k' . $n, $n);
                }

                return $stored;
            });
        }
        // On a busy disk set() may time out; accepted values must exist.
        $stored = array_map(static fn(Fork $fork): array => (array) $fork->result(), $forks);
        for ($file = 0; $file < 10; ++$file) {
            $taken = array_keys(array_column($stored, $file), true, true);
            self::assertNotSame([], $taken);
            self::assertSame(
                $taken,
                array_values(Cache::open(self::rush(
                    $file,
                ))->getMany(array_map(static fn(int $n): string => 'k' . $n, $taken))),
            );
        }
    }

    public function testHalfCreatedFileIsCompletedByTheNextProcess(): void
    {
        $directory = Servers::directory('sqlite-killed');
        for ($file = $left = 0; $left < 5; ++$file) {
            self::assertLessThan(500, $file, 'no process was killed at the right time');
            $address = \sprintf('sqlite://%s/%d.sqlite', $directory, $file);
            $maker = Fork::start(static fn(): bool => touch("$directory/begun") && Cache::open($address)->set('k', 1));
            Servers::awaitFile("$directory/begun");
            unlink("$directory/begun");
            usleep(random_int(0, 6_000 * (1 + intdiv($file, 25)))); // a busy machine is later
            $maker->kill();
            $left += (int) (glob("$directory/$file.sqlite.*.new*") !== []);
            $cache = Cache::open($address);
            self::assertTrue($cache->set('k', $file));
            self::assertSame($file, $cache->get('k'));
            self::assertSame([], glob("$directory/$file.sqlite.*.new*"));
            self::assertSame('600', decoct((int) fileperms("$directory/$file.sqlite") & 0o777));
        }
    }

    /** SQLite itself fails at once here. */
    public function testOpeningWaitsForTheProcessThatCreatesTheFile(): void
    {
        // Tries again if that process stood still for a second, which is the limit of the wait.
        $tries = 0;
        do {
            $folder = 'sqlite-wait' . $tries;
            $begun = Servers::directory($folder) . '/begun';
            $other = Fork::start(static function () use ($folder, $begun): float {
                $database = self::raw("$folder/cache.sqlite");
                $database->exec('PRAGMA user_version = 1'); // creates the file
                $database->exec('BEGIN IMMEDIATE');
                $start = microtime(true);
                touch($begun);
                usleep(200_000);
                $database->exec('COMMIT');

                return microtime(true) - $start;
            });
            Servers::awaitFile($begun);
            $isStored = Cache::open('sqlite://' . Servers::directory($folder) . '/cache.sqlite')->set('k', 1);
        } while ($other->result() > 0.9 && !$isStored && ++$tries < 10);
        self::assertTrue($isStored);
    }

    #[Group('waiting')]
    public function testWaitingForAWriterIsBounded(): void
    {
        $cache = Cache::open(\sprintf('sqlite://%s/cache.sqlite', Servers::directory('sqlite-busy')));
        $cache->set('k', 'old');
        $other = self::raw('sqlite-busy/cache.sqlite');
        $other->exec('BEGIN IMMEDIATE');
        // Tried again if it was late: the machine may stand still.
        self::within(1.0, static fn() => self::assertSame('old', $cache->get('k'), 'readers do not wait'));
        $start = microtime(true);
        self::assertFalse($cache->set('k', 'new'));
        self::assertLessThan(10.0, microtime(true) - $start);
        self::assertFalse($cache->setMany(array_fill(1, 20, 'new')));
        self::assertLessThan(20.0, microtime(true) - $start, 'not a second for each');
        $other->exec('COMMIT');
        self::assertTrue($cache->set('k', 'new'));
        self::assertSame('new', $cache->get('k'));
    }

    /** If PDO's own statement is refused at its first use, it is refused forever. */
    #[Group('waiting')]
    public function testStoreWritesAgainAfterARefusedFirstWrite(): void
    {
        $cache = Cache::open(\sprintf('sqlite://%s/cache.sqlite', Servers::directory('sqlite-first')));
        $other = self::raw('sqlite-first/cache.sqlite');
        $other->exec('BEGIN IMMEDIATE');
        self::assertFalse($cache->set('k', 'first'));
        $other->exec('COMMIT');
        self::assertTrue($cache->set('k', 'second'));
        self::assertSame('second', $cache->get('k'));
    }

    public function testUnusableFileIsNamed(): void
    {
        $this->expectException(StoreUnavailable::class);
        $this->expectExceptionMessageMatches(
            '~^sqlite: /nowhere/cache.sqlite cannot be opened .*The directory /nowhere must be there and writable~',
        );
        Cache::open('sqlite:///nowhere/cache.sqlite');
    }

    public function testSignalHandlerDuringAWriteLeavesItWhole(): void
    {
        $raise = new class implements Codec {
            public bool $raises = false;

            public function encode(mixed $value, string $key): string
            {
                return serialize($value);
            }

            public function decode(string $bytes, string $key, mixed $default = null): mixed
            {
                if ($this->raises) {
                    $this->raises = false;
                    posix_kill(posix_getpid(), \SIGUSR1);
                }

                return unserialize($bytes);
            }

            public function failures(): Failures
            {
                return new Failures();
            }
        };
        $store = new SqlStore(
            new SqliteConnection(Servers::directory('sqlite-signal') . '/cache.sqlite'),
            codec: $raise,
        );
        $isStored = null;
        $before = [pcntl_async_signals(true), pcntl_signal_get_handler(\SIGUSR1)];
        pcntl_signal(\SIGUSR1, static function () use ($store, &$isStored): void {
            $isStored = [$store->set('one', 1), $store->setMany(['many' => 1])];
        });

        try {
            $store->set('n', 1);
            $raise->raises = true;
            self::assertSame(2, $store->increment('n'));
            self::assertSame([true, true], $isStored);
            self::assertSame(['n' => 2, 'one' => 1, 'many' => 1], $store->getMany(['n', 'one', 'many']));
            $raise->raises = true;
            self::assertFalse($store->add('n', 7));
            self::assertSame(['n' => 2, 'one' => 1], $store->getMany(['n', 'one']));
            self::assertTrue($store->setMany(['many' => 2]));
        } finally {
            pcntl_async_signals($before[0]);
            pcntl_signal(\SIGUSR1, \is_int($before[1]) ? $before[1] : \SIG_DFL);
        }
    }

    #[Group('waiting')]
    public function testWaitingForAStoppedCreatorIsBounded(): void
    {
        $file = Servers::directory('sqlite-stopped') . '/cache.sqlite';
        $cache = Cache::open('sqlite://' . $file);
        $holder = Fork::start(static function () use ($file): void {
            $lock = fopen($file . '.lock', 'c');
            flock($lock === false ? throw new \RuntimeException('no lock') : $lock, \LOCK_EX);
            touch($file . '.held');
            sleep(300);
        });
        Servers::awaitFile($file . '.held');
        unlink($file);
        usleep(110_000);
        $start = microtime(true);
        self::assertFalse($cache->set('k', 1));
        self::assertLessThan(30.0, microtime(true) - $start, 'a second for the value, and one to remove it');
        $holder->kill();
        self::assertTrue($cache->set('k', 1));
    }

    private static function rush(int $file): string
    {
        return \sprintf('sqlite://%s/%d.sqlite', Servers::directory('sqlite-rush'), $file);
    }

    private static function first(string $file, string $sql): mixed
    {
        $rows = self::raw($file)->query($sql);
        self::assertNotFalse($rows);

        return $rows->fetchColumn();
    }

    private static function raw(string $file): \PDO
    {
        [$directory, $name] = explode('/', $file);

        return new \PDO(\sprintf('sqlite:%s/%s', Servers::directory($directory), $name));
    }
}
