<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Breaker;

use Larder\Dsn\Endpoint;
use Larder\Exception\StoreFailed;
use Larder\Internal\Decorator\Breaker\Breaker;
use Larder\Internal\Decorator\Breaker\BreakerStore;
use Larder\Internal\Decorator\Breaker\OutageRecord;
use Larder\Internal\Driver\Redis\Phpredis;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Server\ConnectionSettings;
use Larder\Testing\Fork;
use Larder\Testing\SetClock;
use Larder\Tests\OtherUser;
use Larder\Tests\PhpProcess;
use Larder\Tests\RecordingLogger;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** Tests when the breaker lets calls through to a failed server, and which process probes it. */
#[Group('waiting')]
final class BreakerTest extends TestCase
{
    private const PROCESSES = 8;
    private const TRIES = 20;

    private SetClock $clock;
    private RecordingLogger $log;

    protected function setUp(): void
    {
        $this->clock = new SetClock(new \DateTimeImmutable('2030-01-01 00:00:00'));
        $this->log = new RecordingLogger();
    }

    public function testOneFailureDoesNotOpenTheBreaker(): void
    {
        $breaker = $this->breaker();
        self::assertTrue($breaker->allows());
        $breaker->failed(self::failure());
        self::assertTrue($breaker->allows());
        $breaker->recordSuccess();
        $breaker->failed(self::failure());
        self::assertTrue($breaker->allows());
        self::assertSame([], $this->log->entries());
    }

    public function testDistantFailuresDoNotOpenTheBreaker(): void
    {
        $breaker = $this->breaker();
        for ($i = 0; $i < 10; ++$i) {
            $breaker->failed(self::failure());
            self::assertTrue($breaker->allows());
            $this->pass(66.0);
        }
    }

    public function testSecondConsecutiveFailureOpensTheBreaker(): void
    {
        $breaker = $this->open();
        self::assertFalse($breaker->allows());
        self::assertFalse($breaker->allows());
        self::assertSame(['warning: redis at server:6379 is away: no answer'], $this->log->entries());
        self::assertMatchesRegularExpression(
            '/^redis: server:6379 has been away for 0\.0 seconds, and is asked again in 0\.[2-5]$/',
            $breaker->refusal()->getMessage(),
        );
    }

    public function testOneProbeIsSentAfterThePause(): void
    {
        $breaker = $this->open();
        $this->pass(0.6);
        self::assertTrue($breaker->allows());
        self::assertFalse($breaker->allows(), 'while the probe is under way');
        $breaker->recordSuccess();
        self::assertTrue($breaker->allows());
        self::assertTrue($breaker->allows());
        self::assertSame('notice: redis at server:6379 is back after 0.6 seconds', $this->log->entries()[1]);
        self::assertCount(2, $this->log->entries());
    }

    public function testFailedProbesLengthenThePauseUpToALimit(): void
    {
        $breaker = $this->open();
        $longest = 0.5;
        for ($probe = 0; $probe < 12; ++$probe) {
            $waited = 0.0;
            while (!$breaker->allows()) {
                $this->pass(0.05);
                $waited += 0.05;
            }
            self::assertGreaterThan($longest / 2 - 0.1, $waited);
            self::assertLessThan($longest + 0.1, $waited);
            $breaker->failed(self::failure());
            $longest = min(30.0, 2 * $longest);
        }
        self::assertSame(30.0, $longest);
        self::assertCount(1, $this->log->entries());
    }

    /** A probe delays a request until the server answers or the timeout passes. */
    public function testSlowFailuresLengthenTheFirstPause(): void
    {
        $breaker = $this->breaker();
        $breaker->failed(self::failure(), 1.0);
        $breaker->failed(self::failure(), 1.0);
        $this->pass(2.4);
        self::assertFalse($breaker->allows());
        $this->pass(2.7);
        self::assertTrue($breaker->allows());
    }

    public function testRefusedLoginIsLoggedAsSuch(): void
    {
        $breaker = $this->breaker();
        $breaker->failed(StoreFailed::refused('redis', 'WRONGPASS'));
        $breaker->failed(StoreFailed::refused('redis', 'WRONGPASS'));
        self::assertSame(['warning: redis at server:6379 refuses this client: WRONGPASS'], $this->log->entries());
    }

    public function testPausesHaveJitter(): void
    {
        $breaker = $this->breaker($record = new OutageRecord());
        $untils = [];
        for ($i = 0; $i < 20; ++$i) {
            $breaker->failed(self::failure());
            $breaker->failed(self::failure());
            $untils[(string) $record->read()->until] = true;
            $breaker->recordSuccess();
        }
        self::assertGreaterThan(10, \count($untils));
    }

    public function testCallWithoutRequestIsNotAProbe(): void
    {
        $breaker = $this->open();
        $this->pass(0.6);
        self::assertTrue($breaker->allows());
        $breaker->endedWithoutCall();
        self::assertTrue($breaker->allows());
        $breaker->recordSuccess();
        self::assertCount(2, $this->log->entries());
    }

    public function testUnreadListingIsNotAProbe(): void
    {
        $breaker = $this->open();
        $this->pass(0.6);
        $store = new BreakerStore(
            new RedisStore(new Phpredis(new ConnectionSettings(Endpoint::unix('/nowhere/redis.sock')))),
            $breaker,
        );
        $keys = $store->keys();
        self::assertTrue($breaker->allows(), 'another call is the probe');
        self::assertSame([], [...$keys], 'the control: by now it is refused');
        self::assertCount(1, $this->log->entries());
    }

    public function testProbeOfADeadProcessIsReplaced(): void
    {
        $record = $this->sharedRecord();
        $dead = $this->open($record);
        $next = $this->breaker($record);
        $this->pass(0.6);
        self::assertTrue($dead->allows());
        $this->pass(4.9);
        self::assertFalse($next->allows());
        $this->pass(0.2);
        self::assertTrue($next->allows());
    }

    public function testClockSetBackDoesNotKeepTheBreakerOpen(): void
    {
        $this->open($record = new OutageRecord());
        $this->clock = new SetClock(new \DateTimeImmutable('2029-01-01 00:00:00'));
        self::assertTrue($this->breaker($record)->allows());
    }

    public function testProcessesShareOutageLogEntryAndProbe(): void
    {
        $record = $this->sharedRecord();
        $first = $this->breaker($record);
        $second = $this->breaker($record);
        $first->failed(self::failure());
        $second->failed(self::failure());
        $third = $this->breaker($record);
        foreach ([$first, $second, $third] as $breaker) {
            self::assertFalse($breaker->allows());
        }
        $this->pass(0.6);
        self::assertSame(
            1,
            array_sum(array_map(
                static fn(Breaker $breaker): int => (int) $breaker->allows(),
                [$third, $first, $second],
            )),
        );
        $third->recordSuccess();
        foreach ([$first, $second, $third, $this->breaker($record)] as $breaker) {
            self::assertTrue($breaker->allows());
            $breaker->recordSuccess();
        }
        self::assertCount(2, $this->log->entries());
    }

    /**
     * Several tries: others wait only some milliseconds for a process that holds the record while the machine stands
     * still, and then act on their own knowledge.
     */
    public function testOneOfManyProcessesProbes(): void
    {
        $tries = 0;
        do {
            $probes = $this->probesOf($this->sharedRecord());
        } while ($probes !== 1 && ++$tries < self::TRIES);
        self::assertSame(1, $probes);
    }

    /** The control: no shared record. */
    public function testAllProcessesProbeWithoutSharedRecord(): void
    {
        self::assertSame(self::PROCESSES, $this->probesOf(new OutageRecord()));
    }

    public function testRecoveryRemovesTheOutageRecord(): void
    {
        $file = Servers::directory('breaker') . '/' . bin2hex(random_bytes(8));
        $breaker = $this->open(new OutageRecord($file));
        self::assertFileExists($file);
        $this->pass(1.0);
        self::assertTrue($breaker->allows());
        $breaker->recordSuccess();
        self::assertFileDoesNotExist($file);
    }

    /** In the name of a user who does not exist, as those of others may be out. */
    public function testFolderGoesWithTheLastOutage(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('It takes root to be another user');
        }
        $printed = OtherUser::run(54_322, 'use Larder\Internal\Decorator\Breaker\{Outage, OutageRecord};
            $folder = "/dev/shm/larder-away-54322";
            [$one, $other] = [OutageRecord::ofThisUser("one"), OutageRecord::ofThisUser("other")];
            foreach ([[$one, 2], [$other, 2], [$one, 0], [$other, 0], [$one, 3]] as [$record, $failures]) {
                $record->change(static fn(): Outage => new Outage($failures));
                echo is_dir($folder) ? "there " : "gone ";
                clearstatcache();
            }
            echo OutageRecord::ofThisUser("one")->read()->failures;
            $requests = $one->ofRequests();
            $one->change(static fn(): Outage => new Outage());
            $requests->change(static fn(): Outage => new Outage(2));
            echo " ", OutageRecord::ofThisUser("one")->ofRequests()->read()->failures;
            $requests->change(static fn(): Outage => new Outage());');
        self::assertSame('there there there gone there 3 2', $printed);
    }

    public function testUnwritableRecordFallsBackToTheObject(): void
    {
        $breaker = $this->open(new OutageRecord(Servers::directory('breaker') . '/none/' . bin2hex(random_bytes(8))));
        self::assertFalse($breaker->allows());
        $this->pass(0.6);
        self::assertTrue($breaker->allows());
        self::assertFalse($breaker->allows(), 'while the probe is under way');
        $breaker->recordSuccess();
        self::assertTrue($breaker->allows());
        self::assertCount(2, $this->log->entries());
    }

    /** No file may grow there, like on a full disk. */
    public function testFullDiskIsLoggedOnceWithoutWarnings(): void
    {
        $file = Servers::directory('breaker') . '/' . bin2hex(random_bytes(8));
        $code = 'set_error_handler(static function (int $level, string $message): bool { echo $message, "\n"; return true; });
            $logger = new class extends Psr\Log\AbstractLogger { public function log($level, $message, array $context = []): void { echo $level, "\n"; } };
            $breaker = new Larder\Internal\Decorator\Breaker\Breaker("redis", "server", new Larder\Internal\Decorator\Breaker\OutageRecord(%s), $logger);
            for ($call = 0; $call < 4; ++$call) { $breaker->failed(Larder\Exception\StoreFailed::because("redis", "no answer")); }
            echo $breaker->allows() ? "asked again" : "left alone", "\n", file_put_contents(%s, "x") > 0 ? ", with room" : "";';
        $printed = PhpProcess::run(
            \sprintf($code, var_export($file, true), var_export($file . '.control', true)),
            before: "trap '' XFSZ; ulimit -f 0",
        );
        self::assertMatchesRegularExpression(
            '/^warning\nleft alone\nfile_put_contents\(\): Write of 1 bytes failed .+$/',
            $printed,
        );
        self::assertFileDoesNotExist($file);
    }

    public function testStoppedRecordOwnerBlocksNobody(): void
    {
        $file = Servers::directory('breaker') . '/' . bin2hex(random_bytes(8));
        touch($file);
        $held = $file . '.held';
        $holder = Fork::start(static function () use ($file, $held): void {
            $handle = fopen($file, 'r+');
            self::assertNotFalse($handle);
            flock($handle, \LOCK_EX);
            touch($held);
            sleep(300);
        });
        Servers::awaitFile($held);
        Servers::freeze($holder->process);
        $waits = Fork::start(static function () use ($file): bool {
            $handle = fopen($file, 'r+');

            return $handle !== false && flock($handle, \LOCK_EX);
        });

        $start = microtime(true);
        $breaker = $this->open(new OutageRecord($file));
        self::assertFalse($breaker->allows());
        $this->pass(0.6);
        self::assertTrue($breaker->allows());
        $breaker->recordSuccess();
        self::assertTrue($breaker->allows());
        self::assertLessThan(30.0, microtime(true) - $start);
        self::assertCount(2, $this->log->entries());
        self::assertSame(0, pcntl_waitpid($waits->process, $status, \WNOHANG), 'who waits for the lock still waits');
        $holder->kill();
        self::assertTrue($waits->result());
    }

    private function probesOf(OutageRecord $record): int
    {
        $breaker = $this->open($record);
        $this->pass(1.0);
        $forks = Fork::several(
            self::PROCESSES,
            static function (int $process, \Closure $awaitOthers) use ($breaker): bool {
                $awaitOthers();

                return $breaker->allows();
            },
        );

        return array_sum(array_map(static fn(Fork $fork): int => $fork->result() === true ? 1 : 0, $forks));
    }

    private function open(OutageRecord $record = new OutageRecord()): Breaker
    {
        $breaker = $this->breaker($record);
        $breaker->failed(self::failure());
        $breaker->failed(self::failure());

        return $breaker;
    }

    private function breaker(OutageRecord $record = new OutageRecord()): Breaker
    {
        return new Breaker('redis', 'server:6379', $record, $this->log, clock: $this->clock);
    }

    private function sharedRecord(): OutageRecord
    {
        return new OutageRecord(Servers::directory('breaker') . '/' . bin2hex(random_bytes(8)));
    }

    private static function failure(): StoreFailed
    {
        return StoreFailed::because('redis', 'no answer');
    }

    private function pass(float $seconds): void
    {
        $this->clock->move($seconds);
    }
}
