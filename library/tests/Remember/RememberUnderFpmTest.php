<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmResponse;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** remember() in workers that serve many requests, and send the response before they are done. */
#[Group('waiting')]
final class RememberUnderFpmTest extends TestCase
{
    private PhpFpmServer $server;
    private string $directory;
    private string $dsn;
    private TemporaryDirectory $memory;

    protected function setUp(): void
    {
        $this->directory = Servers::directory('remember-' . bin2hex(random_bytes(4)));
        touch($this->log());
        $this->dsn = 'file://' . $this->directory;
        $this->memory = new TemporaryDirectory('/dev/shm');
        $this->server = PhpFpmServer::start(
            $this->directory . '/fpm',
            ['memory_limit' => '64M', 'html_errors' => 0, 'larder.path' => $this->memory->path],
            PhpProcess::engine(),
            [new PhpFpmPool(workers: 2)],
        );
    }

    /** @return iterable<string, array{string|null}> null for files */
    public static function stores(): iterable
    {
        yield 'files' => [null];
        yield 'the engine' => ['larder:'];
    }

    protected function tearDown(): void
    {
        $this->server->stop();
        $this->memory->remove();
    }

    #[DataProvider('stores')]
    public function testStaleValueIsServedAndRecomputedAfterTheResponse(?string $dsn): void
    {
        $this->dsn = $dsn ?? $this->dsn;
        $first = $this->ask('');
        usleep(350_000);
        $stale = $this->ask('slow');
        self::assertSame($first['value'], $stale['value']);
        self::assertFileDoesNotExist($this->directory . '/go', 'the computation has not ended');
        self::assertSame($first['value'], $this->ask('slow')['value'], 'another request meanwhile');
        touch($this->directory . '/go');
        $new = $this->awaited($first['value']);
        self::assertNotSame($first['value'], $new);
        self::assertSame(2, $this->computations());
    }

    /** The control: the command line has no response, so the process that recomputes waits for the result. */
    public function testRecomputationIsWaitedForWithoutAResponse(): void
    {
        $cache = Cache::open('file://' . $this->directory);
        $make = static function (): float {
            usleep(300_000);

            return microtime(true);
        };
        $old = $cache->remember('k', 0.1, $make, stale: 60, jitter: 0.0);
        usleep(120_000);
        $start = microtime(true);
        self::assertNotSame($old, $cache->remember('k', 60, $make, stale: 60));
        self::assertGreaterThan(0.29, microtime(true) - $start);
    }

    public function testSessionIsWrittenBeforeTheRecomputation(): void
    {
        $this->ask('');
        usleep(350_000);
        $this->ask('session'); // answers when the session is written
        self::assertStringContainsString(
            'kept',
            implode(
                '',
                array_map(
                    static fn(string|false $file): string => (string) file_get_contents((string) $file),
                    (array) glob($this->directory . '/sess_*'),
                ),
            ),
        );
        self::assertFalse($this->isMade(), 'the session was there before the new value');
    }

    #[DataProvider('stores')]
    public function testRecomputationBehindAFatalOneIsDoneByTheNextRequest(?string $dsn): void
    {
        $this->dsn = $dsn ?? $this->dsn;
        $first = $this->ask('two');
        usleep(350_000);
        $response = $this->request('fatal first');
        self::assertStringContainsString($first['value'], $response->body, 'the old value');
        $start = microtime(true);
        self::assertNotSame($first['value'], $this->awaited($first['value']));
        self::assertLessThan(30.0, microtime(true) - $start, 'half of the lease');
    }

    /** @return iterable<string, array{string, string|null}> */
    public static function ends(): iterable
    {
        foreach (self::stores() as $store => [$dsn]) {
            yield "exit(), $store" => ['exit', $dsn];
            yield "an error that cannot be caught, $store" => ['exhaust', $dsn];
        }
    }

    #[DataProvider('ends')]
    public function testComputationThatExitsReleasesItsLease(string $how, ?string $dsn): void
    {
        $this->dsn = $dsn ?? $this->dsn;
        $this->request($how);
        self::assertSame(1, $this->computations());
        $start = microtime(true);
        self::assertStringStartsWith('computed', $this->ask('')['value']);
        self::assertLessThan(
            12.0,
            microtime(true) - $start,
            'its worker lives, and nobody waits for it: less than half of what it may wait',
        );
        self::assertSame(2, $this->computations());
    }

    private function awaited(string $old): string
    {
        $value = $old;
        for ($end = microtime(true) + 60; $value === $old && microtime(true) < $end;) {
            usleep(20_000);
            $value = $this->ask('never')['value'];
        }

        return $value;
    }

    private function isMade(): bool
    {
        return Cache::open('file://' . $this->directory)->has('k');
    }

    /** @return array{value: string, seconds: float, worker: int} */
    private function ask(string $do): array
    {
        $response = $this->request($do);
        self::assertSame([200, ''], [$response->status, $response->errors]);
        $answer = json_decode($response->body, true, flags: \JSON_THROW_ON_ERROR);
        self::assertIsArray($answer, $response->body);
        self::assertIsString($answer['value'] ?? null);
        self::assertIsInt($answer['worker'] ?? null);

        return [
            'value' => $answer['value'],
            'seconds' => \is_float($answer['seconds'] ?? null) ? $answer['seconds'] : 0.0,
            'worker' => $answer['worker'],
        ];
    }

    private function request(string $do): PhpFpmResponse
    {
        return $this->server->request(
            __DIR__ . '/pages/remember.php',
            http_build_query(
                ['do' => $do, 'dsn' => $this->dsn, 'directory' => $this->directory, 'log' => $this->log()],
            ),
        );
    }

    private function log(): string
    {
        return $this->directory . '/log';
    }

    /** @phpstan-impure */
    private function computations(): int
    {
        return \strlen((string) file_get_contents($this->log()));
    }
}
