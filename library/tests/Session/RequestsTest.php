<?php

declare(strict_types=1);

namespace Larder\Tests\Session;

use Larder\Cache;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmResponse;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\ServerFailed;
use Larder\Contract\LockingStore;
use Larder\Testing\Fork;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** Sessions of page.php under PHP-FPM: PHP calls the handler, and requests run at the same time. */
#[Group('waiting')]
final class RequestsTest extends TestCase
{
    private const WORKERS = 6;
    private const COUNTS = 100;

    private static ?PhpFpmServer $server = null;
    private string $id;
    private string $folder;

    public static function tearDownAfterClass(): void
    {
        self::$server?->stop();
        self::$server = null;
    }

    protected function setUp(): void
    {
        $this->folder = Servers::directory('requests-' . bin2hex(random_bytes(4)));
        $this->id = '';
    }

    /** @return iterable<string, array{string}> */
    public static function stores(): iterable
    {
        yield 'file' => ['file'];
        yield 'sqlite' => ['sqlite'];
        yield 'larder' => ['larder'];
        yield 'redis' => ['redis'];
        yield 'memcached' => ['memcached'];
    }

    #[DataProvider('stores')]
    public function testVisitorKeepsASession(string $store): void
    {
        $dsn = $this->dsn($store);
        self::assertSame(1, $this->visit($dsn, 'count'));
        $id = $this->id;
        self::assertSame(2, $this->visit($dsn, 'count and end'));
        self::assertSame(2, $this->visit($dsn, 'look'));
        self::assertSame(3, $this->visit($dsn, 'count'));
        self::assertSame($id, $this->id);
    }

    #[DataProvider('stores')]
    public function testLockFollowsTheNewId(string $store): void
    {
        $dsn = $this->dsn($store);
        self::assertSame(1, $this->visit($dsn, 'count'));
        $old = $this->id;
        self::assertSame(2, $this->visit($dsn, 'regenerate'));
        self::assertNotSame($old, $new = $this->id);
        self::assertSame(3, $this->visit($dsn, 'count'));
        $this->id = $old; // another request of the visitor, sent earlier
        self::assertSame(2, $this->visit($dsn, 'count'));
        $this->id = $new;
        self::assertSame(4, $this->visit($dsn, 'count'));
    }

    #[DataProvider('stores')]
    public function testOldIdStartsNothingAfterALogin(string $store): void
    {
        $dsn = $this->dsn($store);
        $this->visit($dsn, 'count');
        $old = $this->id;
        self::assertSame(2, $this->visit($dsn, 'log in'));
        $this->id = $old;
        self::assertSame(1, $this->visit($dsn, 'count'));
        self::assertNotSame($old, $this->id);
    }

    #[DataProvider('stores')]
    public function testLoggedOutSessionIsGone(string $store): void
    {
        $dsn = $this->dsn($store);
        $this->visit($dsn, 'count');
        $old = $this->id;
        $this->visit($dsn, 'log out');
        self::assertSame(1, $this->visit($dsn, 'count'));
        self::assertNotSame($old, $this->id);
    }

    #[DataProvider('stores')]
    public function testFailedRequestsKeepNoLock(string $store): void
    {
        $dsn = $this->dsn($store);
        $this->visit($dsn, 'count');
        self::assertSame(500, $this->ask($dsn, 'fail')->status);
        self::assertSame(3, $this->visit($dsn, 'count'));
        self::assertMatchesRegularExpression(
            '/^[^\n]*memory size[^\n]*$/D',
            $this->ask($dsn, 'use up all memory')->errors,
            'and no error of the session',
        );
        self::assertSame(4, $this->visit($dsn, 'count', ['WAIT' => '0.2']));
        self::assertMatchesRegularExpression(
            '/^[^\n]*memory size[^\n]*$/D',
            $this->ask($dsn, 'use up the last of memory')->errors,
        );
        self::assertSame(5, $this->visit($dsn, 'count', ['WAIT' => '0.2']));
    }

    #[DataProvider('stores')]
    public function testRequestThatDoesNotGetTheLockFails(string $store): void
    {
        $dsn = $this->dsn($store);
        $this->visit($dsn, 'count');
        $holding = $this->begin($dsn, 'hold');
        $answer = $this->ask($dsn, 'count', ['WAIT' => '0.1']);
        self::assertSame(500, $answer->status);
        self::assertStringContainsString('another request holds it', $answer->errors);
        self::assertArrayNotHasKey('set-cookie', array_change_key_case($answer->headers));
        self::assertSame(2, $this->end($holding));
        self::assertSame(2, $this->visit($dsn, 'look'));
    }

    #[DataProvider('stores')]
    public function testRequestThatLostItsLockFailsAndWritesNothing(string $store): void
    {
        $dsn = $this->dsn($store);
        $this->visit($dsn, 'count');
        $late = $this->begin($dsn, 'count late');
        $locks = Cache::open($dsn)->store();
        self::assertInstanceOf(LockingStore::class, $locks);
        $key = 'session:' . hash('sha256', $this->id);
        self::assertTrue($locks->release($key, (string) $locks->holder($key)));
        self::assertSame(2, $this->visit($dsn, 'count'));
        self::assertSame(3, $this->visit($dsn, 'count'));

        touch("$this->folder/end");
        self::assertStringContainsString('its lock had ended', $this->server()->response($late)->errors);
        self::assertSame(3, $this->visit($dsn, 'look'));
    }

    /**
     * @return iterable<string, array{string, bool}> the second: true if the next request sees that the owner is dead
     */
    public static function deaths(): iterable
    {
        yield 'file' => ['file', true];
        yield 'sqlite' => ['sqlite', true];
        yield 'larder' => ['larder', true];
        yield 'redis' => ['redis', false];
        yield 'memcached' => ['memcached', false];
    }

    #[DataProvider('deaths')]
    public function testLockOfAKilledRequestPassesOn(string $store, bool $isSeen): void
    {
        $dsn = $this->dsn($store);
        $this->visit($dsn, 'count');
        $lockSeconds = ['LOCK_SECONDS' => $isSeen ? '600' : '3'];
        $holding = $this->begin($dsn, 'hold', $lockSeconds);
        posix_kill((int) file_get_contents("$this->folder/begun"), \SIGKILL);
        $holding->wait();
        if (!$isSeen) {
            self::assertSame(500, $this->ask($dsn, 'count', ['WAIT' => '0.1'])->status);
        }
        self::assertSame(2, $this->visit($dsn, 'count', ['WAIT' => '30']));
    }

    #[DataProvider('stores')]
    public function testNoUpdateIsLost(string $store): void
    {
        $dsn = $this->dsn($store);
        $this->visit($dsn, 'count');
        $counted = $this->countAtOnce($dsn);
        self::assertCount(self::WORKERS * self::COUNTS, $counted);
        self::assertSame($counted, array_unique($counted));
        self::assertSame(1 + \count($counted), $this->visit($dsn, 'look'));
    }

    #[DataProvider('deaths')]
    public function testNoUpdateIsLostWhileRequestsAreKilled(string $store, bool $isSeen): void
    {
        $dsn = $this->dsn($store);
        $this->visit($dsn, 'count');
        $counted = $this->countAtOnce($dsn, $isSeen ? 10 : 2, [
            'LOCK_SECONDS' => $isSeen ? '600' : '1',
            'WAIT' => '60',
        ]);
        self::assertGreaterThan(self::COUNTS, \count($counted));
        self::assertSame($counted, array_unique($counted));
        self::assertGreaterThan(\count($counted), $this->visit($dsn, 'look'));
    }

    /** phpredis does not lock by default. */
    public function testControlUpdatesAreLostWithoutLocks(): void
    {
        $this->visit('', 'count');
        $counted = $this->countAtOnce('');
        self::assertNotSame($counted, array_unique($counted));
    }

    /**
     * All workers serve this many requests of the session each.
     *
     * @param int $kills number of workers that are killed during that
     * @param array<string, string> $parameters
     * @return list<int> counts of the answered requests
     */
    private function countAtOnce(string $dsn, int $kills = 0, array $parameters = []): array
    {
        $server = $this->server();
        $parameters = $this->parameters($dsn, 'count', $parameters);
        $clients = Fork::several(
            self::WORKERS,
            static function (int $number, \Closure $ready) use ($server, $parameters): array {
                $ready();
                $counted = [];
                $connection = null;
                for ($request = 0; $request < self::COUNTS; ++$request) {
                    try {
                        $connection ??= $server->connect();
                        $answer = $connection->request($parameters);
                        if ($answer->status === 200) {
                            $counted[] = (int) explode(' ', $answer->body)[1];
                        } elseif (
                            !str_contains($answer->errors, 'The session was not written: ')
                        ) { // the worker stood still for longer than its lock lasts
                            throw new \RuntimeException($answer->errors);
                        }
                    } catch (ServerFailed) {
                        $connection = null; // the worker was killed
                    }
                }

                return $counted;
            },
        );
        for ($kill = 0; $kill < $kills; ++$kill) {
            usleep(20_000);
            $workers = $this->workers();
            posix_kill($workers[array_rand($workers)], \SIGKILL);
        }
        $counted = [];
        foreach ($clients as $client) {
            $answer = $client->result();
            self::assertIsArray($answer);
            array_push($counted, ...$answer);
        }

        return array_map(static fn(mixed $n): int => \is_int($n) ? $n : 0, $counted);
    }

    /**
     * Starts a request that runs until end().
     *
     * @param array<string, string> $parameters
     */
    private function begin(string $dsn, string $query, array $parameters = []): Process
    {
        @unlink("$this->folder/begun");
        @unlink("$this->folder/end");
        $request = $this->server()
            ->startRequest(self::page(), $query, null, $this->parameters($dsn, $query, $parameters));
        Servers::awaitFile("$this->folder/begun");

        return $request;
    }

    private function end(Process $request): int
    {
        touch("$this->folder/end");

        return $this->counted($this->server()->response($request));
    }

    /** @param array<string, string> $parameters */
    private function visit(string $dsn, string $query, array $parameters = []): int
    {
        return $this->counted($this->ask($dsn, $query, $parameters));
    }

    private function counted(PhpFpmResponse $response): int
    {
        self::assertSame([200, ''], [$response->status, $response->errors], $response->body);
        [$this->id, $n] = explode(' ', $response->body);

        return (int) $n;
    }

    /** @param array<string, string> $parameters */
    private function ask(string $dsn, string $query, array $parameters = []): PhpFpmResponse
    {
        return $this->server()->request(self::page(), $query, null, $this->parameters($dsn, $query, $parameters), 60.0);
    }

    /**
     * @param array<string, string> $parameters
     * @return array<string, string>
     */
    private function parameters(string $dsn, string $query, array $parameters): array
    {
        return [
            ...PhpFpmServer::parameters(self::page(), $query),
            'HTTP_COOKIE' => $this->id === '' ? '' : 'PHPSESSID=' . $this->id,
            'BEGUN' => "$this->folder/begun",
            'END' => "$this->folder/end",
            ...$dsn === '' ? [] : ['DSN' => $dsn],
            ...$parameters,
        ];
    }

    private function dsn(string $store): string
    {
        $namespace = 's' . bin2hex(random_bytes(6));

        return match ($store) {
            'file' => "file://$this->folder/store",
            'sqlite' => "sqlite://$this->folder/store.sqlite",
            'larder' => "larder:?namespace=$namespace",
            'redis' => \sprintf(
                'redis://%s?on_failure=throw&namespace=%s%s',
                Servers::redis()->socket,
                $namespace,
                Servers::PATIENTLY,
            ),
            default => \sprintf(
                'memcached://%s?on_failure=throw&namespace=%s%s',
                Servers::memcached()->socket,
                $namespace,
                Servers::PATIENTLY,
            ),
        };
    }

    /** @return non-empty-list<int> */
    private function workers(): array
    {
        $master = $this->server()->pid();
        do {
            preg_match_all('/\d+/', (string) @file_get_contents("/proc/$master/task/$master/children"), $children);
        } while ($children[0] === []);

        return array_map(intval(...), $children[0]);
    }

    private function server(): PhpFpmServer
    {
        return self::$server ??= PhpFpmServer::start(
            Servers::directory('sessions-fpm'),
            [
                'html_errors' => 0, 'display_errors' => 0, 'log_errors' => 1, 'memory_limit' => '32M',
                'session.use_strict_mode' => 1, 'session.gc_probability' => 0,
                'larder.segment' => (string) \ini_get('larder.segment'),
                'session.save_handler' => 'redis', 'session.save_path' => 'unix://' . Servers::redis()->socket,
                'redis.session.locking_enabled' => 0,
            ],
            PhpProcess::engine(),
            [new PhpFpmPool(workers: self::WORKERS)],
        );
    }

    private static function page(): string
    {
        return __DIR__ . '/page.php';
    }
}
