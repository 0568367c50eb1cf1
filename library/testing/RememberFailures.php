<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Remember\Computation;
use PHPUnit\Framework\Attributes\Group;

/**
 * The part of RememberContract about computations that store nothing.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait RememberFailures
{
    private const FAILING = 12;
    /** Durations of a computation, tried in turn. A busy machine needs longer ones to run a third of them at once. */
    private const FAILING_SECONDS = [0.3, 1.0, 3.0];

    /**
     * After the first failure, the other processes compute at the same time. One after the other, they would wait for
     * each other's full duration.
     */
    #[Group('waiting')]
    public function testComputationsThatStoreNothingRunConcurrently(): void
    {
        $this->ifShared(function (): void {
            foreach (['throws', 'does not store'] as $how) {
                $most = 0;
                for ($try = 0; $most <= self::FAILING / 3 && $try < \count(self::FAILING_SECONDS); ++$try) {
                    $forks = Fork::several(
                        self::FAILING,
                        function (int $process, \Closure $awaitOthers) use ($how, $try): array {
                            $cache = $this->reopenedCache();
                            $awaitOthers();

                            return self::failingComputation($cache, $how, self::FAILING_SECONDS[$try]);
                        },
                    );
                    $most = self::mostAtOnce(array_map(static function (Fork $fork): array {
                        $span = $fork->result();
                        self::assertIsArray($span);

                        return $span;
                    }, $forks));
                }
                self::assertGreaterThan(self::FAILING / 3, $most, $how);
            }
            self::assertSame('stored', $this->cache->remember('throws', 60, $this->making('stored')));
            self::assertSame('stored', $this->cache->get('throws'), 'a later computation is stored');
        });
    }

    /** A computation after a failed one has no lease, and may take longer than the failed one's lease. */
    #[Group('waiting')]
    public function testComputationAfterAFailureIsStoredHoweverLongItTakes(): void
    {
        $this->ifShared(function (): void {
            if (!$this->cache->can(Capability::Atomic)) {
                self::assertSame(
                    'made',
                    $this->cache->remember('k', 60, $this->making('made')),
                    'without setIf() placeholders may be lost',
                );

                return;
            }
            $failing = Fork::start(
                fn(): mixed => $this->reopenedCache()->remember('k', 60, function (Computation $computation): mixed {
                    $computation->doNotStore();

                    return $this->making(1, 0.8)();
                }, lease: 1),
            );
            for ($end = microtime(true) + 60; $this->computations() === 0 && microtime(true) < $end;) {
                usleep(1000);
            }
            self::assertSame('late', $this->cache->remember('k', 60, $this->making('late', 2.3), wait: 60, lease: 1));
            self::assertSame(1, $failing->result());
            self::assertSame('late', $this->cache->get('k'));
        });
    }

    #[Group('waiting')]
    public function testStaleValueIsReturnedWhenRecomputingFails(): void
    {
        $errors = $this->log . '.errors';
        $before = ini_set('error_log', $errors);
        $fail = static fn(): mixed => self::opaque(null) ?? throw new \DomainException('no data');

        try {
            $this->cache->remember('k', 0.1, $this->making('old'), stale: 60, jitter: 0.0);
            usleep(120_000);
            self::assertSame('old', $this->cache->remember('k', 60, $fail, stale: 60));
            $log = (string) file_get_contents($errors);
            self::assertSame(1, substr_count(
                $log,
                'Larder: the value of "k" could not be recomputed, the old one is returned: DomainException: no data',
            ), $log);
            self::assertNull($this->cache->get('k'));
            self::assertSame('new', $this->cache->remember('k', 60, $this->making('new'), stale: 60));
            self::assertSame('new', $this->cache->get('k'));
            $this->expectException(\DomainException::class);
            $this->cache->remember('k', 60, $fail, stale: 60, beta: \INF);
        } finally {
            ini_set('error_log', (string) $before);
            @unlink($errors);
        }
    }

    /** As after a deployment that removed a class: get() misses, but the entry still blocks add(). */
    #[Group('waiting')]
    public function testUnreadableValueIsRecomputed(): void
    {
        $this->ifShared(function (): void {
            Fork::run(function (): bool {
                $class = 'Gone' . bin2hex(random_bytes(4));
                eval("final class $class {}");

                return class_exists($class) && $this->reopenedCache()->set('k', new $class());
            });
            self::assertSame('computed', $this->cache->remember('k', 60, $this->making('computed')));
            self::assertSame('computed', $this->cache->remember('k', 60, $this->making('again')));
            self::assertSame('computed', $this->cache->get('k'));
        });
    }

    #[Group('waiting')]
    public function testRecursionThroughAnotherObjectDoesNotWait(): void
    {
        $start = microtime(true);
        $value = $this->cache->remember(
            'k',
            60,
            fn(): mixed => self::opaque(
                'outer of '
                    . self::asText($this->reopenedCache()->remember('k', 60, fn(): string => 'inner', wait: 60)),
            ),
        );
        self::assertSame('outer of inner', $value);
        self::assertSame($value, $this->cache->get('k'));
        self::assertLessThan(30.0, microtime(true) - $start, 'it did not wait');
    }

    /** The control: remember() waits if another process computes the same key in the same store. */
    #[Group('waiting')]
    public function testSameKeyInAnotherStoreIsIndependent(): void
    {
        $this->ifShared(function (): void {
            $slow = $this->computation('slow', 0.5, 60);
            self::assertSame(
                'slow',
                Cache::open(
                    'array:',
                )->remember('k', 60, fn(): mixed => $this->cache->remember('k', 60, $this->making('twice'), wait: 20)),
            );
            self::assertSame(1, $this->computations());
            self::assertSame('slow', $slow->result());
        }, Capability::Lock);
    }

    /** @return array{int|float, int|float} start and end of the computation, by hrtime() */
    private static function failingComputation(Cache $cache, string $how, float $seconds): array
    {
        $span = [0, 0];

        try {
            $cache->remember($how, 60, static function (Computation $computation) use (&$span, $how, $seconds): int {
                $span[0] = hrtime(true);
                usleep((int) (1e6 * $seconds));
                $span[1] = hrtime(true);
                $computation->doNotStore();

                return $how === 'throws' ? throw new \DomainException('no data') : 1;
            }, wait: 60, lease: 60);
        } catch (\DomainException) {
            // expected
        }

        return $span;
    }

    /** @param array<array<array-key, mixed>> $spans */
    private static function mostAtOnce(array $spans): int
    {
        $most = 0;
        foreach ($spans as $one) {
            $most = max(
                $most,
                \count(array_filter(
                    $spans,
                    static fn(array $other): bool => $other[0] <= $one[0] && $one[0] < $other[1],
                )),
            );
        }

        return $most;
    }
}
