<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Tiers;

use Larder\Testing\AssertsThrows;
use PHPUnit\Framework\TestCase;

/**
 * Two hosts in front of one Redis, each with the engine as its local tier. Tests when one sees the other's writes, by
 * polling and by `larder listen`, and the effect of failures.
 */
final class TwoHostsTest extends TestCase
{
    use AssertsThrows;

    /** Further seconds for a busy machine. Without listening and polling, a change takes a minute. */
    private const GRACE = 15.0;
    /** The same for tests of the limit itself. */
    private const SHORT_GRACE = 0.5;
    /** Microseconds: longer than the time in which no copy is made after all became invalid. */
    private const SETTLED = 150_000;
    /** Too rare for a poll during the test. */
    private const SELDOM = 'poll=60';

    private Network $network;
    private Host $here;
    private Host $there;

    protected function setUp(): void
    {
        $reason = Network::whyNot();
        if ($reason !== null) {
            self::markTestSkipped($reason);
        }
        $this->network = new Network();
        $this->network->startServer();
        $this->here = $this->network->addHost();
        $this->there = $this->network->addHost();
    }

    protected function tearDown(): void
    {
        if (isset($this->network)) {
            $this->here->stop();
            $this->there->stop();
            $this->network->remove();
        }
    }

    public function testWriteIsSeenWithinThePoll(): void
    {
        $this->copy('poll=1');
        $late = 0;
        for ($i = 0; $i < 3 + $late; ++$i) {
            self::assertTrue($this->there->call('poll=1', 'set', 'k', $i));
            $seconds = $this->here->secondsUntil('poll=1', 'k', $i, 30.0);
            self::assertLessThan(1.0 + self::GRACE, $seconds);
            // Tried again if it was late: the machine may have stood still, though not each time.
            $late += (int) ($seconds > 1.0 + self::SHORT_GRACE);
            self::assertLessThan(10, $late);
        }
    }

    /** The control: without polling and listening, the old value is served. */
    public function testWriteIsNotSeenWithoutPoll(): void
    {
        $this->copy(self::SELDOM);
        $this->there->call(self::SELDOM, 'set', 'k', 'new');
        self::assertSame(\INF, $this->here->secondsUntil(self::SELDOM, 'k', 'new', 1.0 + self::SHORT_GRACE));
        self::assertSame('old', $this->here->call(self::SELDOM, 'get', 'k'));
    }

    public function testListenerMakesWritesVisibleImmediately(): void
    {
        $this->here->listen(self::SELDOM);
        $this->copy(self::SELDOM);
        foreach (['by a tier' => self::SELDOM, 'past all tiers' => ''] as $how => $options) {
            $this->there->call($options, 'set', 'k', $how);
            self::assertLessThan(self::GRACE, $this->here->secondsUntil(self::SELDOM, 'k', $how, 30.0), $how);
            usleep(self::SETTLED);
        }
        $this->there->call('', 'delete', 'k');
        self::assertLessThan(self::GRACE, $this->here->secondsUntil(self::SELDOM, 'k', null, 30.0));
        $this->here->call(self::SELDOM, 'set', 'k', 'here');
        $this->network->atServer('FLUSHALL');
        self::assertLessThan(self::GRACE, $this->here->secondsUntil(self::SELDOM, 'k', null, 30.0), 'a server that was emptied');
    }

    public function testProcessesPollAfterTheListenerIsKilled(): void
    {
        $listener = $this->here->listen('poll=1');
        $this->copy('poll=1');
        $listener->signal(\SIGKILL);
        $listener->wait();
        $this->there->call('poll=1', 'set', 'k', 'new');
        self::assertLessThan(1.0 + self::GRACE, $this->here->secondsUntil('poll=1', 'k', 'new', 30.0));
        $again = null;
        for ($tries = 0; $again === null && $tries < 30; ++$tries) {
            try {
                $again = $this->here->listen('poll=1');
            } catch (\RuntimeException $taken) {
                // The killed listener's lease may last a moment longer.
                self::assertStringContainsString('Another process listens here', $taken->getMessage());
                usleep(200_000);
            }
        }
        self::assertStringContainsString('as larder listen runs', $this->explained('poll=1', $again?->getPid()));
    }

    /** A stopped process receives nothing, but its lease ends all the same. */
    public function testProcessesPollWhenTheListenerIsStopped(): void
    {
        $listener = $this->here->listen('poll=1');
        $this->copy('poll=1');
        $listener->signal(\SIGSTOP);
        $this->there->call('poll=1', 'set', 'k', 'new');
        self::assertLessThan(1.0 + self::GRACE, $this->here->secondsUntil('poll=1', 'k', 'new', 30.0));
        $listener->signal(\SIGCONT);
    }

    /** Changes outside a tier during the listener's absence are not reported to any process. */
    public function testReturningListenerInvalidatesAllCopies(): void
    {
        $listener = $this->here->listen(self::SELDOM);
        $this->copy(self::SELDOM);
        self::assertSame(1, preg_match('/^id=(\d+) .* flags=\w*B\w* /m', $this->network->atServer('CLIENT', 'LIST'), $connection));
        $this->network->atServer('SET', 'larder-cache:hosts:k', 's:4:"past";');
        self::assertLessThan(self::GRACE, $this->here->secondsUntil(self::SELDOM, 'k', 'past', 30.0), 'the control: as long as it hears');
        usleep(self::SETTLED);
        self::assertSame('past', $this->here->call(self::SELDOM, 'get', 'k'));
        $listener->signal(\SIGSTOP);
        $this->network->atServer('CLIENT', 'KILL', 'ID', $connection[1]);
        $this->network->atServer('SET', 'larder-cache:hosts:k', 's:5:"later";');
        self::assertSame('past', $this->here->call(self::SELDOM, 'get', 'k'), 'nobody has told of it');
        $listener->signal(\SIGCONT);
        $this->here->waitFor($listener, 'has hung up');
        $this->here->waitFor($listener, 'listening to', 2);
        self::assertLessThan(self::GRACE, $this->here->secondsUntil(self::SELDOM, 'k', 'later', 30.0));
    }

    public function testListenerReconnectsToARestartedServer(): void
    {
        $listener = $this->here->listen(self::SELDOM);
        $this->copy(self::SELDOM);
        $this->network->stopServer();
        $this->here->waitFor($listener, 'Until it is back');
        $this->network->startServer();
        $this->here->waitFor($listener, 'listening to', 2);
        self::assertNull($this->here->call(self::SELDOM, 'get', 'k'), 'the server has lost it');
        $this->there->call('', 'set', 'k', 'new');
        // The breaker of the process may be open for a while.
        self::assertLessThan(self::GRACE, $this->here->secondsUntil(self::SELDOM, 'k', 'new', 30.0));
        usleep(self::SETTLED);
        $this->here->call(self::SELDOM, 'get', 'k');
        $this->there->call('', 'set', 'k', 'newer');
        self::assertLessThan(self::GRACE, $this->here->secondsUntil(self::SELDOM, 'k', 'newer', 30.0));
    }

    /** A cut connection is silent, which must not look like the absence of changes. */
    public function testCopiesExpireBehindACutConnection(): void
    {
        $this->here->timeout = 2.0;
        $listener = $this->here->listen('poll=0.5&local_ttl=2');
        $this->copy('poll=0.5&local_ttl=2');
        $this->here->setWire('down');
        $this->there->call('poll=0.5', 'set', 'k', 'new');
        $this->here->waitFor($listener, 'no answer from');
        usleep(2_000_000);
        self::assertNotSame('old', $this->here->call('poll=0.5&local_ttl=2', 'get', 'k'));
        $this->here->setWire('up');
        $this->here->waitFor($listener, 'listening to', 2);
        self::assertLessThan(self::GRACE, $this->here->secondsUntil('poll=0.5&local_ttl=2', 'k', 'new', 30.0));
    }

    public function testOneListenerPerHostEndsOnSignal(): void
    {
        $listener = $this->here->listen('poll=1');
        $this->there->listen('poll=1');
        $this->here->call('poll=1', 'get', 'k');

        self::assertThrows(\RuntimeException::class, fn() => $this->here->listen('poll=1'), \sprintf('Another process listens here for this cache already: process %d on ', $listener->getPid()));
        $listener->signal(\SIGTERM);
        self::assertSame(0, $listener->wait());
        self::assertStringContainsString('stopped; ', $listener->getOutput());
        self::assertStringContainsString('within 1 s', $this->explained('poll=1'));
        $this->here->listen('poll=1');
    }

    /** Waits until here has a copy. */
    private function copy(string $options): void
    {
        $this->there->call($options, 'set', 'k', 'old');
        $this->here->call($options, 'get', 'k');
        usleep(self::SETTLED);
        self::assertSame('old', $this->here->call($options, 'get', 'k'));
        self::assertSame('old', $this->here->call($options, 'get', 'k'));
    }

    private function explained(string $options, ?int $process = null): string
    {
        $candidates = $this->here->call($options, 'explain');
        self::assertIsArray($candidates);
        $line = implode(' ', array_map(static fn(mixed $candidate): string => $candidate instanceof \Stringable ? (string) $candidate : '', $candidates));
        if ($process !== null) {
            self::assertStringContainsString("process $process ", $line);
        }

        return $line;
    }
}
