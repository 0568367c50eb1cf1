<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Legacy\Shmop;

use Larder\Internal\Driver\Legacy\Shmop\SharedBlock;
use Larder\Internal\Driver\Legacy\Shmop\ShmopStore;
use Larder\Internal\Lock\StripedLock;
use Larder\Internal\Process\Warnings;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Larder\Tests\PhpProcess;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\Group;

final class ShmopTest extends DriverTestCase
{
    private const NEIGHBOURS_ID = 0x1EAF1EAF;

    public static function dsn(string $namespace): string
    {
        return 'shmop:?namespace=' . $namespace;
    }

    /** A block of another program of the same user. */
    protected function plantNeighbour(): void
    {
        $block = shmop_open(self::NEIGHBOURS_ID, 'c', 0o600, 100);
        self::assertNotFalse($block);
        shmop_write($block, 'keep', 0);
    }

    protected function neighbourIsThere(): bool
    {
        $block = shmop_open(self::NEIGHBOURS_ID, 'w', 0, 0);

        return $block !== false && shmop_read($block, 0, 4) === 'keep' && shmop_delete($block);
    }

    public function testCollidingIdsKeepTheLastWrite(): void
    {
        $store = new ShmopStore('collide');
        [$first, $second] = self::keysWithOneId($store);
        $store->set($first, 'value of the first');
        self::assertNull($store->get($second));
        self::assertTrue($store->delete($second));
        self::assertSame('value of the first', $store->get($first), 'a delete leaves the other key');
        self::assertTrue($store->set($second, 'value of the second'));
        self::assertNull($store->get($first));
        self::assertFalse($store->has($first));
        self::assertSame('value of the second', $store->get($second));
        $store->clear();
    }

    public function testForeignBlockIsUntouched(): void
    {
        $store = new ShmopStore('foreign');
        $block = shmop_open($store->id('k'), 'n', 0o600, 1000);
        self::assertNotFalse($block);
        shmop_write($block, 'not of Larder', 0);
        self::assertFalse($store->set('k', 'value'));
        self::assertNull($store->get('k'));
        self::assertTrue($store->clear());
        self::assertSame('not of Larder', shmop_read($block, 0, 13));
        self::assertTrue(shmop_delete($block));
        self::assertTrue($store->set('k', 'value'));
        $store->clear();
    }

    public function testBlockGrowsAndShrinksWithItsValue(): void
    {
        $store = new ShmopStore('grow');
        $sizes = [];
        foreach ([10, 1000, 100_000, 5_000_000, 100_000, 10] as $length) {
            self::assertTrue($store->set('k', str_repeat('x', $length)));
            self::assertSame(str_repeat('x', $length), $store->get('k'));
            $block = shmop_open($store->id('k'), 'a', 0, 0);
            self::assertNotFalse($block);
            $sizes[] = shmop_size($block);
        }
        self::assertGreaterThan(5_000_000, $sizes[3]);
        self::assertLessThan(400_000, $sizes[4]);
        self::assertLessThan(1_000_000, $sizes[5]);
        $store->clear();
    }

    public function testBlockOfAProcessThatDiedBeforeItWroteIsCleared(): void
    {
        $store = new ShmopStore('unwritten');
        $id = $store->id('k');
        self::assertNotFalse(shmop_open($id, 'n', 0o600, SharedBlock::size('')));
        self::assertTrue($store->clear());
        self::assertFalse(Warnings::suppress(static fn(): mixed => shmop_open($id, 'a', 0, 0)));
    }

    #[Group('waiting')]
    public function testLockOfADeadProcessIsFree(): void
    {
        $store = new ShmopStore('dead');
        $store->set('k', 'old');
        $held = Servers::directory('locks') . '/held';
        $holder = Fork::start(static function () use ($store, $held): void {
            $lock = new StripedLock('/dev/shm/larder-shmop-' . posix_geteuid());
            $lock->around($store->id('k'), static function () use ($held): void {
                touch($held);
                sleep(60);
            });
        });
        Servers::awaitFile($held);
        $start = microtime(true);
        self::assertNull($store->get('k'), 'while it is held nobody waits longer than a second');
        self::assertGreaterThan(0.9, microtime(true) - $start);
        self::assertLessThan(10.0, microtime(true) - $start);
        $holder->kill();
        self::assertSame('old', $store->get('k'));
        self::assertTrue($store->set('k', 'new'));
        self::assertSame('new', $store->get('k'));
        $store->clear();
    }

    public function testKilledWriterLeavesAWholeValueOrNone(): void
    {
        $store = new ShmopStore('storm');
        $store->clear();
        $found = 0;
        // On a busy machine a writer may be killed before its first turn, so they get more and more time.
        for ($round = 0; $round < 60 || ($found === 0 && $round < 1000); ++$round) {
            $writer = Fork::start(static function () use ($store): void {
                for ($n = 0;; ++$n) {
                    $store->set('k', self::provable($n));
                }
            });
            usleep(random_int(500, 6000) * (1 + intdiv($round, 60)));
            $writer->kill();
            $value = $store->get('k');
            if ($value !== null) {
                self::assertTrue(self::isWhole($value), 'torn after a kill');
                ++$found;
            }
        }
        self::assertGreaterThan(0, $found);
        self::assertTrue($store->set('k', 'goes on'));
        self::assertSame('goes on', $store->get('k'));
        $store->clear();
    }

    /** The control: the same blocks, written and read without their lock, do tear. */
    public function testValuesTearWithoutTheLock(): void
    {
        $store = new ShmopStore('control');
        $id = $store->id('k');
        $block = new SharedBlock('control', 'secret');
        $writer = Fork::start(static function () use ($block, $id): void {
            for ($n = 0;; ++$n) {
                $block->write($id, serialize(self::provable($n)));
            }
        });
        $torn = 0;
        $end = microtime(true) + 20;
        while ($torn === 0 && microtime(true) < $end) {
            $bytes = $block->read($id);
            $torn += $bytes === null || self::isWhole(@unserialize($bytes)) ? 0 : 1;
        }
        $writer->kill();
        $block->remove($id);
        self::assertSame(1, $torn);
    }

    public function testMissCallsNoErrorHandler(): void
    {
        $store = new ShmopStore('quiet');
        /** @var \ArrayObject<int, string> $warnings */
        $warnings = new \ArrayObject();
        set_error_handler(static function (int $level, string $message) use ($warnings): bool {
            $warnings[] = $message;

            return true;
        });

        try {
            self::assertNull($store->get('nothing'));
            self::assertTrue($store->set('k', 1));
            self::assertTrue($store->delete('k'));
            self::assertSame(1, $store->increment('n'));
            self::assertTrue($store->clear());
            self::assertCount(0, $warnings);
            @shmop_open($store->id('nothing'), 'a', 0, 0);
            self::assertCount(1, $warnings, 'the control');
        } finally {
            restore_error_handler();
        }
    }

    #[Group('waiting')]
    public function testExpiredBlocksAreEvictedFirst(): void
    {
        $code = <<<'PHP'
            $cache = Larder\Cache::open('shmop:');
            for ($n = 0; $n < 40; ++$n) { $cache->set("k$n", $n, $n % 2 === 0 ? 0 : 1.0); }
            usleep(1_100_000);
            echo json_encode([$cache->set('m', 'has room'), $cache->get('k0'), $cache->get('k2')]);
            PHP;
        self::assertSame('[true,0,2]', self::where('echo 40 >/proc/sys/kernel/shmmni', $code));
    }

    public function testBlockLimitEvictsOldBlocksAndKeepsTheLatest(): void
    {
        $code = <<<'PHP'
            $other = Larder\Cache::open('shmop:?namespace=other');
            for ($n = 0; $n < 20; ++$n) { $other->set("k$n", $n); }
            $cache = Larder\Cache::open('shmop:');
            for ($n = $taken = $there = 0; $n < 200; ++$n) {
                $taken += (int) $cache->set("k$n", $n);
                $last = max(0, $n - 10);
                $there += (int) ($cache->get("k$last") === $last);
            }
            echo json_encode([$taken, $there, $cache->get('k0'), $cache->add('a', 1), $cache->increment('n'), $cache->get('k199')]), "\n";
            echo json_encode([$cache->set('large', random_bytes(70_000)), $cache->get('large'), $cache->get('k198'), $cache->clear()]), "\n";
            for ($id = $taken = 1; $id <= 200; ++$id) { $taken += (int) (@shmop_open($id, 'n', 0600, 100) !== false); }
            echo $taken < 25 ? 'the control: all others are refused' : $taken;
            PHP;
        self::assertSame(
            "[200,200,null,true,1,199]\n[false,null,198,true]\nthe control: all others are refused",
            self::where('echo 20 >/proc/sys/kernel/shmmni; echo 65536 >/proc/sys/kernel/shmmax', $code),
        );
    }

    public function testMemoryLimitEvictsOldBlocks(): void
    {
        $code = <<<'PHP'
            $cache = Larder\Cache::open('shmop:');
            foreach ([10 => 1000, 60_000 => 150, 300_000 => 30] as $length => $count) {
                for ($n = $taken = 0; $n < $count; ++$n) {
                    $taken += (int) ($cache->set("$length-$n", str_repeat('x', $length)) && $cache->has("$length-$n"));
                }
                echo $taken, ' ';
            }
            echo json_encode([$cache->set('large', str_repeat('x', 2_000_000)), $cache->has('300000-29')]);
            PHP;
        self::assertSame(
            '1000 150 30 [false,true]',
            self::where('echo 256 >/proc/sys/kernel/shmall', $code),
        ); // of 4 KiB each
    }

    /** The kernel records the time of use in seconds. */
    #[Group('waiting')]
    public function testReadBlocksStay(): void
    {
        $code = <<<'PHP'
            $cache = Larder\Cache::open('shmop:');
            for ($n = 0; $n < 20; ++$n) { $cache->set("k$n", $n); }
            sleep(4);
            foreach ([3, 5, 8] as $n) { $cache->get("k$n"); }
            for ($n = 0; $n < 15; ++$n) { $cache->set("m$n", $n); }
            echo json_encode(array_values($cache->getMany(['k3', 'k5', 'k8', 'k0', 'k19', 'm14'])));
            PHP;
        [$three, $five, $eight, , , $last] = (array) json_decode(
            self::where('echo 20 >/proc/sys/kernel/shmmni', $code),
            true,
        );
        self::assertSame([3, 5, 8, 14], [$three, $five, $eight, $last]);
    }

    /** Runs code in an IPC namespace with low limits of shared memory. */
    private static function where(string $limits, string $code): string
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('only root may set the limits of shared memory');
        }

        return PhpProcess::run($code, before: $limits, under: ['unshare', '--ipc']);
    }

    public function testUnrelatedProcessesShareValues(): void
    {
        $store = $this->open('unrelated');
        $store->set('k', ['from' => 'here']);
        self::assertSame(
            "here\n",
            PhpProcess::run(
                '$c = Larder\Cache::open("shmop:?namespace=unrelated"); echo $c->get("k")["from"], "\n"; '
                    . '$c->set("k", "from there");',
            ),
        );
        self::assertSame('from there', $store->get('k'));
        $store->clear();
    }

    /** @return array{string, string} */
    private static function keysWithOneId(ShmopStore $store): array
    {
        $seen = [];
        for ($i = 0;; ++$i) {
            $id = $store->id('key ' . $i);
            if (isset($seen[$id])) {
                return [$seen[$id], 'key ' . $i];
            }
            $seen[$id] = 'key ' . $i;
        }
    }

    /** @return array{int, string} every byte is determined by the number */
    private static function provable(int $number): array
    {
        return [$number, str_repeat(pack('N', $number), 200_000)];
    }

    private static function isWhole(mixed $value): bool
    {
        return \is_array($value) && \is_int($value[0] ?? null) && $value === self::provable($value[0]);
    }
}
