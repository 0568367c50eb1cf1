<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Contract\Capability;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Internal\Remember\Placeholder;
use Larder\Remember\Computation;
use PHPUnit\Framework\Attributes\After;
use PHPUnit\Framework\Attributes\Before;
use PHPUnit\Framework\Attributes\Group;

/**
 * Cache::remember() and rememberMany(), also in several processes at once.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait RememberContract
{
    use RememberFailures;
    use RememberWrites;

    private const STAMPEDE = 100; // processes
    private const TRIES = 20;

    /** A file with one byte for each computation of any process. */
    private string $log;

    #[Before]
    protected function openLog(): void
    {
        $this->log = (string) tempnam(sys_get_temp_dir(), 'larder-remember-');
    }

    #[After]
    protected function removeLog(): void
    {
        unlink($this->log);
    }

    public function testRememberManyComputesMissingValuesTogether(): void
    {
        $this->cache->setMany(['stored' => 1, 'null' => null]);
        $expected = ['7' => ['of 7'], 'stored' => 1, 'k' => ['of k'], 'null' => null];
        self::assertSame(
            $expected,
            $this->cache->rememberMany([7, 'stored', 'k', 'unknown', 'null'], 60, $this->makeMany(...), ['t']),
        );
        self::assertSame('7, k, unknown.', file_get_contents($this->log));
        self::assertSame($expected, $this->cache->rememberMany(array_keys($expected), 60, $this->makeMany(...)));
        self::assertFalse($this->cache->has('not asked'));
        self::assertFalse($this->cache->has('unknown'));
        $this->cache->invalidateTags(['t']);
        self::assertSame(
            ['7' => 'new', 'stored' => 1],
            $this->cache->rememberMany(
                ['7', 'stored'],
                0,
                static fn(array $missing): array => array_fill_keys($missing, 'new'),
            ),
        );
        self::assertSame([], $this->cache->rememberMany([], 60, $this->makeMany(...)));
        self::assertThrows(
            InvalidTtl::class,
            fn(): array => $this->cache->rememberMany(['new'], -1, $this->makeMany(...)),
        );
        self::assertThrows(
            InvalidKey::class,
            fn(): array => $this->cache->rememberMany(['new', ''], 60, $this->makeMany(...)),
        );
        self::assertSame('7, k, unknown.', file_get_contents($this->log));
    }

    public function testRememberManyNoticesInvalidationDuringTheComputation(): void
    {
        $values = $this->cache->rememberMany(['k'], 60, function (array $missing): array {
            $this->cache->invalidateTags(['t']);

            return array_fill_keys($missing, 'of old data');
        }, ['t']);
        self::assertSame(['k' => 'of old data'], $values);
        self::assertFalse($this->cache->has('k'));
    }

    public function testComputationKnowsThePreviousValue(): void
    {
        $previous = static fn(Computation $computation): array
            => [$computation->previous?->value, $computation->previous?->tags];
        self::assertSame([null, null], $this->cache->remember('k', 60, $previous, tags: ['a', '7']));
        self::assertSame([[null, null], ['a', '7']], $this->cache->remember('k', 60, $previous, beta: \INF));
        $this->cache->set('k', 'stored', tags: ['a']);
        self::assertSame(['stored', ['a']], $this->cache->remember('k', 60, $previous, tags: ['a'], beta: \INF));
        $this->cache->invalidateTags(['a']);
        self::assertSame([null, null], $this->cache->remember('k', 60, $previous, beta: \INF));
    }

    #[Group('waiting')]
    public function testRememberComputesAMissingValueOnce(): void
    {
        foreach ([null, false, 0, '', [], 'text', ['a' => [1.5, null]], new \ArrayObject([1])] as $value) {
            $make = $this->making($value);
            self::assertEquals($value, $this->cache->remember('k', 60, $make));
            self::assertEquals($value, $this->cache->remember('k', 60, $make));
            self::assertEquals($value, $this->cache->get('k', 'nothing'));
            self::assertSame(1, $this->computations());
            $this->cache->delete('k');
            $this->cache->remember('k', 0, $make);
            self::assertEquals($value, $this->cache->remember('k', 0, $make));
            self::assertSame(2, $this->computations());
            $this->cache->delete('k');
            file_put_contents($this->log, '');
        }
        $this->cache->set('set', 'before');
        self::assertSame('before', $this->cache->remember('set', 60, $this->making('after')));
    }

    #[Group('waiting')]
    public function testRememberedValueExpires(): void
    {
        $this->cache->remember('k', 0.2, $this->making('old'), jitter: 0.0);
        usleep(220_000);
        self::assertFalse($this->cache->has('k'));
        self::assertSame('new', $this->cache->remember('k', 60, $this->making('new')));
    }

    #[Group('waiting')]
    public function testStaleValueIsRecomputedByOneProcess(): void
    {
        $this->ifCan(Capability::Lock, function (): void {
            $this->cache->remember('k', 0.1, $this->making('old'), stale: 60, jitter: 0.0);
            usleep(120_000);
            self::assertNull($this->cache->get('k'), 'get() returns nothing stale');
            $again = $this->reopenedCache();
            $seen = null;
            $value = $this->cache->remember('k', 60, function () use ($again, &$seen): mixed {
                // as another process would during the computation
                $seen = !$this->isShared() ? 'old' : $again->remember('k', 60, $this->making('not by two'), stale: 60);

                return self::opaque('new');
            }, stale: 60);
            self::assertSame(['old', 'new', 'new'], [$seen, $value, $this->cache->get('k')]);
            self::assertSame(1, $this->computations());
            $this->cache->remember('short', 0.1, $this->making('old'), stale: 60, jitter: 0.0);
            usleep(120_000);
            self::assertSame(
                'new',
                $this->cache->remember('short', 60, $this->making('new')),
                'without stale: nothing stale is returned',
            );
        });
    }

    #[Group('waiting')]
    public function testExceptionReachesTheCallerAndTheNextCallComputes(): void
    {
        $start = microtime(true);
        for ($i = 0; $i < 2; ++$i) {
            $error = self::assertThrows(
                \DomainException::class,
                fn() => $this->cache->remember(
                    'k',
                    60,
                    static fn(): mixed => self::opaque(null) ?? throw new \DomainException('no data'),
                    wait: 60,
                ),
            );
            self::assertSame('no data', $error->getMessage());
        }
        self::assertSame('data', $this->reopenedCache()->remember('k', 60, $this->making('data'), wait: 60));
        self::assertLessThan(30.0, microtime(true) - $start, 'it did not wait');
    }

    #[Group('waiting')]
    public function testRememberMayBeNestedAndRecursive(): void
    {
        $start = microtime(true);
        $value = $this->cache->remember('page', 60, fn(): mixed => self::opaque('page of '
            . $this->cache->remember(
                'menu',
                60,
                fn(): string => 'menu of ' . self::asText($this->cache->remember('user', 60, $this->making('Ann'))),
            )
            . ' and ' . self::asText($this->cache->remember('page', 60, $this->making('itself'), wait: 60))), wait: 60);
        self::assertSame('page of menu of Ann and itself', $value);
        self::assertSame(
            ['menu of Ann', 'Ann', $value],
            [$this->cache->get('menu'), $this->cache->get('user'), $this->cache->get('page')],
        );
        self::assertLessThan(30.0, microtime(true) - $start, 'it did not wait');
    }

    #[Group('waiting')]
    public function testRememberIgnoresALockOfTheSameName(): void
    {
        $start = microtime(true);
        if ($this->cache->can(Capability::Lock)) {
            $this->cache->lock('k', 60);
        }
        self::assertSame(1, $this->cache->remember('k', 60, static fn(): mixed => self::opaque(1), wait: 60));
        self::assertLessThan(30.0, microtime(true) - $start);
    }

    #[Group('waiting')]
    public function testComputationMayChangeTtlTagsAndStorage(): void
    {
        self::assertSame('once', $this->cache->remember('k', 60, static function (Computation $computation): mixed {
            $computation->doNotStore();

            return self::opaque('once');
        }));
        self::assertFalse($this->cache->has('k'));
        $this->cache->remember('k', 60, function (Computation $computation): string {
            self::assertSame('k', $computation->key);
            $computation->expireAfter(0.1);

            return 'short';
        });
        usleep(120_000);
        self::assertFalse($this->cache->has('k'));
        $this->cache->remember('k', 60, function (Computation $computation): string {
            $computation->tag('late');

            return 'tagged';
        }, tags: ['early']);
        self::assertSame('tagged', $this->cache->get('k'));
        $this->cache->invalidateTags(['late']);
        self::assertFalse($this->cache->has('k'));
    }

    #[Group('waiting')]
    public function testValueInvalidatedWhileComputedIsNotServed(): void
    {
        $old = $this->cache->remember('k', 60, function (): mixed {
            $this->reopenedCache()->invalidateTags(['data']);
            $this->cache->invalidateTags(['data']); // the other object changes nothing here if the store is not shared

            return self::opaque('of old data');
        }, stale: 60, tags: ['data']);
        self::assertSame('of old data', $old);
        self::assertFalse($this->cache->has('k'));
        self::assertSame('new', $this->cache->remember('k', 60, $this->making('new'), stale: 60, tags: ['data']));
        self::assertSame('new', $this->cache->get('k'));
    }

    #[Group('waiting')]
    public function testOneOfManyProcessesComputes(): void
    {
        $this->ifShared(function (): void {
            // Retried if the store may lose an entry, or if the machine stalled: if a store does not answer within its
            // timeout of a second, every process computes.
            for ($tries = 0, $mayFail = true; $tries < self::TRIES && $mayFail; ++$tries) {
                $this->cache->clear();
                file_put_contents($this->log, '');
                $seconds = $this->stampede();
                $mayFail = $this->computations() !== 1 && ($this->expectedLosses() > 0 || $seconds > 1.0);
            }
            self::assertSame(1, $this->computations());
        }, Capability::Lock);
    }

    /** @return float duration in seconds */
    private function stampede(): float
    {
        $start = microtime(true);
        $forks = Fork::several(self::STAMPEDE, function (int $process, \Closure $awaitOthers): mixed {
            $cache = $this->reopenedCache();
            $awaitOthers();

            return $cache->remember('k', 60, $this->making(['computed'], 0.05), wait: 90, lease: 90);
        });
        foreach ($forks as $fork) {
            self::assertSame(['computed'], $fork->result());
        }
        $seconds = microtime(true) - $start;
        self::assertLessThan(90.0, $seconds, 'nobody waited as long as it may');

        return $seconds;
    }

    #[Group('waiting')]
    public function testKilledComputationIsTakenOver(): void
    {
        $this->ifShared(function (): void {
            $lease = $this->isLocal() ? 60.0 : 1.0;
            $killed = $this->computation('killed', 30, $lease);
            $killed->kill();
            $start = microtime(true);
            self::assertSame('next', $this->cache->remember('k', 60, $this->making('next'), wait: 60, lease: 60));
            self::assertLessThan(30.0, microtime(true) - $start, 'half of what it may wait');
            self::assertSame(2, $this->computations());
            self::assertSame('next', $this->cache->get('k'));
        });
    }

    #[Group('waiting')]
    public function testWaitingForAComputationIsBounded(): void
    {
        $this->ifShared(function (): void {
            $slow = $this->computation('slow', 30, 60);
            $start = microtime(true);
            self::assertSame('own', $this->cache->remember('k', 60, $this->making('own'), wait: 0.3));
            self::assertWaited(0.3, $start);
            $slow->kill();
        }, Capability::Lock);
    }

    #[Group('waiting')]
    public function testComputationThatOutlastsItsLeaseIsNotStartedTwice(): void
    {
        $this->ifShared(function (): void {
            // Several tries, because on a server a lease also expires if the whole machine stalls for its duration.
            for ($tries = $this->isLocal() ? 1 : self::TRIES; $tries > 0 && $this->computations() !== 1; --$tries) {
                $this->cache->delete('k');
                file_put_contents($this->log, '');
                $slow = $this->computation('slow', 1.8, 1.0, renews: !$this->isLocal());
                $found = $this->cache->remember('k', 60, $this->making('twice'), wait: 20, lease: 1.0);
                self::assertSame('slow', $slow->result());
            }
            self::assertSame(1, $this->computations());
            self::assertSame('slow', $found ?? null);
        }, Capability::Lock);
    }

    /** The control: no process can check whether the owner of a timed lease is alive, so the lease lasts to its end. */
    #[Group('waiting')]
    public function testTimedLeaseOfDeadProcessIsWaitedFor(): void
    {
        $this->ifShared(function (): void {
            $start = microtime(true);
            $take = fn(): bool
                => $this->reopenedCache()->store()->set('k', Placeholder::ofThisProcess(1.0, isLocal: false)->stored());
            self::assertTrue(Fork::run($take));
            self::assertSame('next', $this->cache->remember('k', 60, $this->making('next'), wait: 20));
            if (
                !$this->store instanceof EngineStore
            ) { // the engine has leases of its own, and takes this one for an unusable value
                self::assertWaited(1.0, $start);
            }
        }, Capability::Lock);
    }

    /**
     * The control: a server cannot see that the first process is alive, so another starts unless the lease is renewed.
     */
    #[Group('waiting')]
    public function testLeaseOnAServerExpiresUnlessRenewed(): void
    {
        $this->ifShared(function (): void {
            $slow = $this->computation('slow', $this->isLocal() ? 2 : 30, 0.5);
            self::assertSame(
                $this->isLocal() ? 'slow' : 'twice',
                $this->cache->remember('k', 60, $this->making('twice'), wait: 20, lease: 0.5),
            );
            $slow->kill();
            self::assertSame($this->isLocal() ? 1 : 2, $this->computations());
        }, Capability::Lock);
    }

    #[Group('waiting')]
    public function testRememberRefusesInvalidArguments(): void
    {
        $calls = [
            [InvalidKey::class, fn(): mixed => $this->cache->remember('', 60, $this->making(1))],
            [InvalidTtl::class, fn(): mixed => $this->cache->remember('k', -1, $this->making(1))],
            [InvalidTtl::class, fn(): mixed => $this->cache->remember('k', 60, $this->making(1), stale: -1)],
            [InvalidTtl::class, fn(): mixed => $this->cache->remember('k', 60, $this->making(1), wait: \NAN)],
            [InvalidTtl::class, fn(): mixed => $this->cache->remember('k', 60, $this->making(1), lease: 0)],
            [InvalidTtl::class, fn(): mixed => $this->cache->remember('k', 60, $this->making(1), beta: -1.0)],
            [InvalidTtl::class, fn(): mixed => $this->cache->remember('k', 60, $this->making(1), jitter: 1.0)],
            [InvalidKey::class, fn(): mixed => $this->cache->remember('k', 60, $this->making(1), tags: [''])],
        ];
        foreach ($calls as [$exception, $call]) {
            self::assertThrows($exception, $call);
        }
        self::assertSame(0, $this->computations());
    }

    /**
     * Starts a process that computes 'k', and returns as soon as the computation has begun.
     *
     * @param float $seconds duration of the computation
     */
    private function computation(string $value, float $seconds, float $lease, bool $renews = false): Fork
    {
        $fork = Fork::start(
            fn(): mixed => $this->reopenedCache()
                ->remember('k', 60, function (Computation $computation) use ($value, $seconds, $renews): string {
                    file_put_contents($this->log, '.', \FILE_APPEND);
                    for ($end = microtime(true) + $seconds; microtime(true) < $end;) {
                        usleep(50_000);
                        if ($renews) {
                            $computation->renew();
                        }
                    }

                    return $value;
                }, lease: $lease),
        );
        for ($end = microtime(true) + 60; $this->computations() === 0 && microtime(true) < $end;) {
            usleep(1000);
        }

        return $fork;
    }

    /** @return \Closure(): mixed */
    private function making(mixed $value, float $seconds = 0.0): \Closure
    {
        return function () use ($value, $seconds): mixed {
            file_put_contents($this->log, '.', \FILE_APPEND);
            usleep((int) (1e6 * $seconds));

            return $value;
        };
    }

    /** Hides a value from static analysis. */
    private static function opaque(mixed $value): mixed
    {
        return $value;
    }

    private static function asText(mixed $value): string
    {
        return \is_string($value) ? $value : '';
    }

    /** @phpstan-impure */
    private function computations(): int
    {
        return \strlen((string) file_get_contents($this->log));
    }

    /**
     * @param list<string> $missing
     * @return array<string, mixed> a value for each key except "unknown"
     */
    private function makeMany(array $missing): array
    {
        file_put_contents($this->log, implode(', ', $missing) . '.', \FILE_APPEND);

        return array_diff_key(
            array_combine($missing, array_map(static fn(string $key): array => ["of $key"], $missing)),
            ['unknown' => 0],
        ) + ['not asked' => 1];
    }
}
