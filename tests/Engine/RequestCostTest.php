<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Lab\Figures\RequestCost;
use Larder\Lab\Figures\RequestRig;
use Larder\Lab\Figures\RequestRows;
use Larder\ProjectTests\Repository;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The fixed cost of a worker's request before it gets its value. The time depends on the machine, but the numbers of
 * files, system calls and round trips do not. A change that saves some lowers the number in the table.
 */
final class RequestCostTest extends TestCase
{
    /** Upper limits of the library's files, system calls and round trips, by row of `make figures ARGS=request`. */
    private const MOST = [
        'autoload' => [0, 0, 0],
        'larder' => [3, 1, 0],
        'larder-namespace' => [4, 1, 0],
        'psr16' => [5, 1, 0],
        'psr6' => [7, 1, 0],
        'auto' => [4, 1, 0], // a file that asks the environment for a DSN
        'apcu' => [4, 0, 0],
        'redis' => [40, 5, 1],
        'redis-hit' => [45, 5, 1],
        'redis-miss' => [52, 12, 3],
        'memcached' => [39, 5, 1],
        'memcached-hit' => [45, 5, 1],
        'memcached-miss' => [52, 12, 3],
        'file' => [34, 14, 0],
        'php-file' => [33, 9, 0],
        'sqlite' => [31, 3, 0],
        'pgsql' => [45, 7, 2],
    ];

    /** Number of requests, of which the lowest count is used: one more poll or memory page is noise. */
    private const REQUESTS = 5;

    private static RequestRig $rig;

    public static function setUpBeforeClass(): void
    {
        self::$rig = RequestRig::start(\extension_loaded('larder') && getenv('LARDER_EXTENSION') === false ? Repository::ROOT . '/' . Sandbox::USUAL : null);
    }

    public static function tearDownAfterClass(): void
    {
        self::$rig->stop();
    }

    /** @return iterable<string, array{string, array{int, int, int}}> */
    public static function rows(): iterable
    {
        foreach (self::MOST as $row => $most) {
            yield $row => [$row, $most];
        }
    }

    /** @param array{int, int, int} $most */
    #[DataProvider('rows')]
    public function testRequestPaysNoMore(string $row, array $most): void
    {
        $request = self::$rig->page(RequestRows::pages()[$row], true, isMarked: true);
        $files = $request()->files;
        $traces = self::trace($request);
        $calls = min(array_map(\count(...), $traces));
        $exchanges = min(array_map(self::exchanges(...), $traces));
        $cheapest = $traces[array_search($calls, array_map(\count(...), $traces), true)];
        $paid = [\count($files), $calls, $exchanges];

        self::assertTrue(max(array_map(static fn(int $is, int $may): int => $is - $may, $paid, $most)) <= 0, \sprintf(
            "%s pays %s, not %s, for files, system calls and round trips:\n%s\n%s",
            $row,
            implode(', ', $paid),
            implode(', ', $most),
            implode("\n", $files),
            implode("\n", $cheapest),
        ));
    }

    public function testEveryRowHasItsLimits(): void
    {
        self::assertSame(array_keys(RequestRows::pages()), array_keys(self::MOST));
    }

    /** A request that waits for three replies, and one that sends all three requests at once. */
    public function testWaitsForRepliesAreCounted(): void
    {
        $question = 'sendto(5, "...", 9, MSG_DONTWAIT, NULL, 0) = 9';
        $reply = 'recvfrom(5, "...", 8192, MSG_DONTWAIT, NULL, NULL) = 7';
        $nothing = 'recvfrom(5, 0x7f, 8192, MSG_DONTWAIT, NULL, NULL) = -1 EAGAIN (Resource temporarily unavailable)';

        self::assertSame(3, self::exchanges([$nothing, $question, $nothing, $reply, $reply, $question, $reply, $question, $reply]));
        self::assertSame(1, self::exchanges([$question, $question, $question, $reply, $reply, $reply]));
        self::assertSame(0, self::exchanges([]));
    }

    /**
     * @param \Closure(): RequestCost $request
     * @return non-empty-list<list<string>> system calls of each request
     */
    private static function trace(\Closure $request): array
    {
        $directory = new TemporaryDirectory();
        $file = $directory->path . '/calls';
        $worker = self::$rig->worker();
        $strace = new Process(['strace', '-qq', '-o', $file, '-p', (string) $worker]);
        $strace->start();
        for ($deadline = microtime(true) + 30.0; !str_contains((string) file_get_contents("/proc/$worker/status"), "TracerPid:\t{$strace->getPid()}\n"); usleep(1_000)) {
            if (!$strace->isRunning() || microtime(true) > $deadline) {
                self::markTestSkipped('strace may not trace here: ' . $strace->getErrorOutput());
            }
        }
        for ($i = 0; $i < self::REQUESTS; ++$i) {
            $request();
        }
        $strace->signal(\SIGINT);
        $strace->wait();
        preg_match_all(\sprintf('~^\w*stat\w*\([^"\n]*"%s".*\n((?:.*\n)*?)\w*stat\w*\([^"\n]*"%s".*$~m', RequestRig::BEGIN, RequestRig::END), (string) file_get_contents($file), $traces);
        self::assertCount(self::REQUESTS, $traces[1]);
        self::assertNotSame([], $traces[1]);

        // Waits for a reply, and reads before it has arrived, are left out: their number depends on the machine's load,
        // and on the version of the client library.
        return array_map(static fn(string $lines): array => array_values(array_filter(
            explode("\n", $lines),
            static fn(string $line): bool => $line !== '' && preg_match('/^(p?poll|p?select)|MSG_PEEK|= -1 EAGAIN/', $line) === 0,
        )), $traces[1]);
    }

    /** @param list<string> $calls */
    private static function exchanges(array $calls): int
    {
        $exchanges = 0;
        $isAsked = false;
        foreach ($calls as $call) {
            if (str_starts_with($call, 'send')) {
                $isAsked = true;
            } elseif ($isAsked && preg_match('/^recv\w+\(.* = [1-9]\d*$/', $call) === 1) {
                $isAsked = false;
                ++$exchanges;
            }
        }

        return $exchanges;
    }
}
