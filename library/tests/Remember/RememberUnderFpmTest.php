<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmResponse;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** remember() in workers that take many requests, and answer before they are done. */
#[Group('waiting')]
final class RememberUnderFpmTest extends TestCase
{
    private PhpFpmServer $server;
    private string $directory;

    protected function setUp(): void
    {
        $this->directory = Servers::directory('remember-' . bin2hex(random_bytes(4)));
        touch($this->log());
        $this->server = PhpFpmServer::start($this->directory . '/fpm', ['memory_limit' => '64M', 'html_errors' => 0], pools: [new PhpFpmPool(workers: 2)]);
    }

    protected function tearDown(): void
    {
        $this->server->stop();
    }

    public function testStaleValueIsServedAndRecomputedAfterTheResponse(): void
    {
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

    /** The control: on the command line there is no response to be after, so the one that makes it waits for it. */
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
        self::assertStringContainsString('kept', implode('', array_map(static fn(string|false $file): string => (string) file_get_contents((string) $file), (array) glob($this->directory . '/sess_*'))));
        self::assertFalse($this->isMade(), 'the session was there before the new value');
    }

    /** @return iterable<string, array{string}> */
    public static function ends(): iterable
    {
        yield 'exit()' => ['exit'];
        yield 'an error that cannot be caught' => ['exhaust'];
    }

    #[DataProvider('ends')]
    public function testComputationThatExitsReleasesItsLease(string $how): void
    {
        $this->request($how);
        self::assertSame(1, $this->computations());
        $start = microtime(true);
        self::assertStringStartsWith('computed', $this->ask('')['value']);
        self::assertLessThan(12.0, microtime(true) - $start, 'its worker lives, and nobody waits for it: less than half of what it may wait');
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

        return ['value' => $answer['value'], 'seconds' => \is_float($answer['seconds'] ?? null) ? $answer['seconds'] : 0.0, 'worker' => $answer['worker']];
    }

    private function request(string $do): PhpFpmResponse
    {
        return $this->server->request(__DIR__ . '/pages/remember.php', http_build_query(['do' => $do, 'directory' => $this->directory, 'log' => $this->log()]));
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
