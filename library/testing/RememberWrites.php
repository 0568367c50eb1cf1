<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Capability;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * The part of RememberContract about writes during a computation: a write wins, because it is later.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait RememberWrites
{
    private const ROUNDS = 150;

    /**
     * @return iterable<string, array{\Closure(Cache): mixed, mixed}> a write during a computation, and the value
     *         afterwards
     */
    public static function writes(): iterable
    {
        yield 'delete()' => [static fn(Cache $cache): bool => $cache->delete('k'), null];
        yield 'deleteMany()' => [static fn(Cache $cache): bool => $cache->deleteMany(['k']), null];
        yield 'clear()' => [static fn(Cache $cache): bool => $cache->clear(), null];
        yield 'set()' => [static fn(Cache $cache): bool => $cache->set('k', 'later'), 'later'];
        yield 'setMany()' => [static fn(Cache $cache): bool => $cache->setMany(['k' => 'later'], tags: ['t']), 'later'];
        yield 'add()' => [static fn(Cache $cache): bool => $cache->add('k', 'later'), 'later'];
        yield 'increment()' => [static fn(Cache $cache): int|bool => $cache->increment('k', 7), 7];
    }

    /** @param \Closure(Cache): mixed $write */
    #[DataProvider('writes')]
    #[Group('waiting')]
    public function testWriteDuringAComputationWins(\Closure $write, mixed $then): void
    {
        $this->ifCan(Capability::Atomic, function () use ($write, $then): void {
            $made = $this->cache->remember('k', 60, function () use ($write): mixed {
                $this->elsewhere($write);

                return self::opaque('of older data');
            });
            self::assertSame('of older data', $made);
            self::assertSame($then, $this->cache->get('k'));
        });
    }

    /** @param \Closure(Cache): mixed $write */
    #[DataProvider('writes')]
    #[Group('waiting')]
    public function testWriteWhileAStaleValueIsRecomputedWins(\Closure $write, mixed $then): void
    {
        $this->ifCan(Capability::Atomic, function () use ($write, $then): void {
            $this->cache->remember('k', 0.1, $this->making('stale'), stale: 60, jitter: 0.0);
            usleep(120_000);
            $made = $this->cache->remember('k', 60, function () use ($write): mixed {
                $this->elsewhere($write);

                return self::opaque('of older data');
            }, stale: 60);
            self::assertSame('of older data', $made);
            self::assertSame($then, $this->cache->get('k'));
        });
    }

    /** After the data has changed and delete() has returned, get() never returns a value of the old data. */
    #[Group('waiting')]
    public function testDeletedValueIsNotRestoredByAnEarlierComputation(): void
    {
        $this->ifShared(function (): void {
            if (!$this->cache->can(Capability::Atomic)) {
                self::assertSame(
                    'made',
                    $this->cache->remember('k', 60, $this->making('made')),
                    'without setIf() it checks and then stores',
                );

                return;
            }
            $this->cache->set('end', false);
            $change = 0;
            file_put_contents($this->log, '0');
            $forks = [];
            for ($i = 0; $i < 3; ++$i) {
                $forks[] = Fork::start(function (): int {
                    $cache = $this->reopenedCache();
                    $made = 0;
                    for ($end = microtime(true) + 20; $cache->get('end') === false && microtime(true) < $end;) {
                        $cache->remember('k', 60, function () use (&$made): int {
                            ++$made;
                            $data = (int) file_get_contents($this->log);
                            usleep(random_int(0, 1000));

                            return $data;
                        }, wait: 0.01);
                    }

                    return $made;
                });
            }
            $old = [];
            $patience = microtime(true) + 15;
            for ($round = 0; $round < self::ROUNDS; ++$round) {
                ++$change;
                file_put_contents($this->log . '.new', (string) $change);
                rename($this->log . '.new', $this->log);
                // While a stopped process holds a lock, delete() returns false and the value stays.
                for ($end = microtime(true) + 30; !$this->cache->delete('k') && microtime(true) < $end;) {
                }
                usleep(random_int(0, 2000));
                $found = $this->cache->get('k', $change);
                $old += $found === $change ? [] : [$change => $found];
                // On a busy machine, many rounds may be over before anybody has computed a value.
                while ($round % 4 === 0 && $this->cache->get('k') === null && microtime(true) < $patience) {
                    usleep(100);
                }
            }
            $this->cache->set('end', true);
            $made = 0;
            foreach ($forks as $fork) {
                $count = $fork->result();
                self::assertIsInt($count);
                $made += $count;
            }
            self::assertSame([], $old, 'values found after the change that made them obsolete');
            self::assertGreaterThan(self::ROUNDS / 5, $made, 'values were computed in the meantime');
        });
    }

    #[Group('waiting')]
    public function testEarlierComputationDoesNotOverwriteALaterOne(): void
    {
        foreach (['missing', 'made', 'set'] as $case) {
            $this->cache->clear();
            if ($case === 'made') {
                $this->cache->remember('k', 60, $this->making('v0'), stale: 60);
            } elseif ($case === 'set') {
                $this->cache->set('k', 'v0', 60);
            }
            // If a store does not know the expiry of a value, remember() drops the value.
            $before = $case === 'made' || ($case === 'set' && $this->cache->can(Capability::Expiry)) ? 'v0' : null;
            $found = [];
            $made = $this->cache->remember('k', 60, function () use (&$found): mixed {
                $found = $this->elsewhere(function (Cache $cache): array {
                    $before = $cache->get('k');
                    $start = microtime(true);
                    $made = $cache->remember('k', 60, $this->making('v2'), wait: 60, beta: \INF);

                    return [$before, $made, microtime(true) - $start < 30.0, $cache->get('k')];
                });

                return self::opaque('v1');
            }, beta: \INF);
            self::assertSame('v1', $made, $case);
            if ($this->cache->can(Capability::Atomic) && $this->isShared()) {
                self::assertSame([$before, 'v2', true, 'v2'], $found, $case);
                self::assertSame('v2', $this->cache->get('k'), $case);
                self::assertSame('v2', $this->cache->remember('k', 60, $this->making('v3')), $case);
            }
        }
    }

    /** Also if an earlier computation, which was not forced, ends first. */
    #[Group('waiting')]
    public function testComputationThatIsForcedIsStored(): void
    {
        $this->ifShared(function (): void {
            if (!$this->cache->can(Capability::Atomic)) {
                self::assertSame(
                    'made',
                    $this->cache->remember('k', 60, $this->making('made'), beta: \INF),
                    'without setIf() the last to end is stored',
                );

                return;
            }
            $earlier = $this->computation('earlier', 0.3, 60);
            self::assertSame('forced', $this->cache->remember('k', 60, function () use ($earlier): mixed {
                self::assertSame('earlier', $earlier->result());

                return self::opaque('forced');
            }, beta: \INF));
            self::assertSame('forced', $this->cache->get('k'));
        });
    }

    #[Group('waiting')]
    public function testKeyHasNoValueWhileItIsComputed(): void
    {
        $about = [];
        $this->cache->remember('k', 60, function () use (&$about): string {
            $about = [
                'get' => $this->cache->get('k', 'none'),
                'getMany' => $this->cache->getMany(['k'], 'none'),
                'has' => $this->cache->has('k'),
                'replace' => $this->cache->can(Capability::Atomic) && $this->cache->replace('k', 1),
                'touch' => $this->cache->can(Capability::Atomic) && $this->cache->touch('k', 60),
                'swap' => $this->cache->can(Capability::Atomic) && $this->cache->swap('k', 0, 1),
                'expiry' => $this->cache->can(Capability::Expiry) ? $this->cache->expiry('k') : null,
                'keys' => $this->cache->can(Capability::Keys) ? [...$this->cache->keys()] : [],
            ];

            return 'made';
        });
        self::assertSame([
            'get' => 'none', 'getMany' => ['k' => 'none'], 'has' => false, 'replace' => false, 'touch' => false,
            'swap' => false, 'expiry' => null, 'keys' => [],
        ], $about);
        self::assertSame('made', $this->cache->get('k'));
    }
}
