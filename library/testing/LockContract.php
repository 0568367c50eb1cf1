<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use PHPUnit\Framework\Attributes\Group;

/**
 * lock(), also when its owner is killed. A store without locks must report that.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait LockContract
{
    public function testLockExcludesOthersUntilReleased(): void
    {
        $this->ifCan(Capability::Lock, function (): void {
            $this->cache->set('k', 'value');
            $lock = $this->cache->lock('k', 60);
            self::assertNotNull($lock);
            self::assertNull($this->cache->lock('k', 60));
            self::assertSame($lock->token, $this->reopenedCache()->lockHolder('k'));
            self::assertNull($this->cache->lockHolder('another'));
            self::assertNotNull($this->cache->lock(str_repeat('long', 16_383), 60), 'another lock');
            self::assertSame('value', $this->cache->get('k'), 'locks and values do not meet');
            $start = microtime(true);
            self::assertNull($this->cache->lock('k', 60, wait: 0.1));
            self::assertGreaterThan(0.09, microtime(true) - $start);
            self::assertTrue($lock->release());
            self::assertFalse($lock->release(), 'once');
            self::assertNull($this->cache->lockHolder('k'));
            $next = $this->cache->lock('k', 60);
            self::assertNotNull($next);
            self::assertNotSame($lock->token, $next->token);
            self::assertFalse($lock->release());
            self::assertNull($this->cache->lock('k', 60), 'the old owner has not released the new lock');
            self::assertTrue($next->release());
        });
    }

    #[Group('waiting')]
    public function testLockExpires(): void
    {
        $this->ifCan(Capability::Lock, function (): void {
            [$start, $old, $left] = [0.0, null, null];
            self::within(0.3, function () use (&$start, &$old, &$left): void {
                $this->cache->clear();
                $start = microtime(true);
                $old = $this->cache->lock('k', 0.3);
                $left = $this->cache->lock('left', 0.1);
                self::assertNull($this->cache->lock('k', 60));
            });
            self::assertNotNull($old);
            $new = $this->cache->lock('k', 60, wait: 10);
            self::assertWaited(0.3, $start);
            self::assertNotNull($new);
            self::assertFalse($old->release());
            self::assertFalse($left?->release(), 'also when nobody has taken it');
            self::assertNull($this->cache->lock('k', 60));
            self::assertTrue($new->release());
        });
    }

    /** Each process repeatedly acquires the lock, writes its number, checks that it is still there, and releases. */
    public function testLockIsHeldByOneProcessAtATime(): void
    {
        $this->ifCan(Capability::Lock, function (): void {
            $file = (string) tempnam(sys_get_temp_dir(), 'larder-lock-');
            $entered = $this->inProcesses(static function (Cache $cache, int $process) use ($file): array {
                [$entered, $met, $released] = [0, 0, 0];
                for ($i = 0; $i < 25; ++$i) {
                    $lock = $cache->lock('one at a time', 20, wait: 20);
                    if ($lock !== null) {
                        ++$entered;
                        file_put_contents($file, $process);
                        usleep(50);
                        $met += file_get_contents($file) !== (string) $process ? 1 : 0;
                        $released += $lock->release() ? 1 : 0;
                    }
                }

                return [$entered, $met, $released];
            });
            unlink($file);
            self::assertSame(array_fill(0, self::PROCESSES, 25), array_column($entered, 0));
            if ($this->isShared()) {
                self::assertSame(array_fill(0, self::PROCESSES, [25, 0, 25]), $entered);
            }
        });
    }

    #[Group('waiting')]
    public function testLockOfKilledProcessIsReleased(): void
    {
        $this->ifShared(function (): void {
            $start = 0.0;
            self::within(1.0, function () use (&$start): void {
                $this->cache->clear();
                $start = microtime(true);
                // A fork ends with SIGKILL, so it does not release its lock.
                self::assertTrue(Fork::run(fn(): bool => $this->reopenedCache()->lock('k', 1) !== null));
                if (!$this->isLocal()) {
                    self::assertNull($this->cache->lock('k', 60));
                }
            });
            if (!$this->isLocal()) {
                self::assertNotNull($this->cache->lock('k', 60, wait: 10));
                self::assertWaited(1.0, $start);

                return;
            }
            self::assertTrue(Fork::run(fn(): bool => $this->reopenedCache()->lock('k', 60) !== null));
            self::assertNotNull($this->cache->lock('k', 60, wait: 10), 'long before its time');
        }, Capability::Lock);
    }

    /** The control: a lock that is not tied to its process lasts until its ttl is over. */
    #[Group('waiting')]
    public function testTimedLockOutlivesItsProcess(): void
    {
        $this->ifShared(function (): void {
            $start = 0.0;
            $take = fn(): ?string => $this->reopenedCache()->lock('k', 1, ends: LockLifetime::Ttl)?->token;
            self::within(1.0, function () use (&$start, $take): void {
                $this->cache->clear();
                $start = microtime(true);
                self::assertNotNull(Fork::run($take));
                self::assertNull($this->cache->lock('k', 60));
            });
            self::assertNotNull($this->cache->lock('k', 60, wait: 10));
            self::assertWaited(1.0, $start);
        }, Capability::Lock);
    }

    public function testLockMayBeReleasedByAnotherProcess(): void
    {
        $this->ifShared(function (): void {
            $store = $this->locks();
            $token = Fork::run(static fn(): string|false|null => $store->acquire('k', 60, LockLifetime::Ttl));
            self::assertIsString($token);
            self::assertFalse($store->release('k', 'x' . $token));
            self::assertNull($store->acquire('k', 60));
            self::assertTrue($store->release('k', $token));
            self::assertIsString($store->acquire('k', 60));
        }, Capability::Lock);
    }

    public function testLockAcceptsCallersToken(): void
    {
        $this->ifCan(Capability::Lock, function (): void {
            $store = $this->locks();
            self::assertNull($store->holder('k'));
            self::assertSame('mine', $store->acquire('k', 60, token: 'mine'));
            self::assertSame('mine', $store->holder('k'));
            self::assertNull($store->acquire('k', 60, token: 'mine'), 'once, whoever asks');
            self::assertNull($store->holder('other'));
            self::assertFalse($store->release('k', 'theirs'));
            self::assertTrue($store->renew('k', 'mine', 30));
            self::assertSame('mine', $store->holder('k'));
            self::assertTrue($store->release('k', 'mine'));
            self::assertNull($store->holder('k'));
            $token = $store->acquire('k', 60);
            self::assertSame($token, $store->holder('k'));
        });
    }

    #[Group('waiting')]
    public function testProcessBoundLockLastsWhileItsOwnerLives(): void
    {
        $this->ifShared(function (): void {
            $store = $this->locks();
            $owner = null;
            self::within(1.5, function () use ($store, &$owner): void { // time for a fork on a busy machine
                $owner?->kill();
                $this->cache->clear();
                $owner = Fork::start(function (): void {
                    $this->locks()->acquire('k', 1.5, LockLifetime::Process);
                    $this->cache->set('taken', true);
                    usleep(30_000_000);
                });
                for ($end = microtime(true) + 60; $this->cache->get('taken') !== true && microtime(true) < $end;) {
                    usleep(1000);
                }
                self::assertNull($store->acquire('k', 60), 'its time is not over');
            });
            usleep(1_600_000);
            $token = $store->acquire('k', 60);
            $owner?->kill();
            if (!$this->isLocal()) {
                self::assertIsString($token, 'a server goes by time');

                return;
            }
            self::assertNull($token, 'its time is over, and its owner lives');
            self::assertIsString($store->acquire('k', 60), 'its owner was killed');
        }, Capability::Lock);
    }

    #[Group('waiting')]
    public function testLockCanBeRenewed(): void
    {
        $this->ifCan(Capability::Lock, function (): void {
            $lock = null;
            self::within(0.3, function () use (&$lock): void {
                $lock?->release();
                $lock = $this->cache->lock('k', 0.3);
                self::assertTrue($lock?->renew(60));
            });
            self::assertNotNull($lock);
            usleep(400_000);
            self::assertNull($this->cache->lock('k', 60));
            self::assertTrue($lock->renew(0.1));
            usleep(150_000);
            self::assertFalse($lock->renew(60), 'it has fallen');
            $next = $this->cache->lock('k', 60);
            self::assertNotNull($next);
            self::assertFalse($lock->renew(60), 'another has it');
            self::assertTrue($next->release());
            self::assertFalse($next->renew(60));
        });
    }

    public function testClearReleasesLocks(): void
    {
        $this->ifCan(Capability::Lock, function (): void {
            $lock = $this->cache->lock('k', 60);
            $this->cache->clear();
            self::assertNotNull($this->cache->lock('k', 60));
            self::assertFalse($lock?->release());
        });
    }

    private function locks(): LockingStore
    {
        return Capability::of($this->open($this->namespace), LockingStore::class);
    }
}
