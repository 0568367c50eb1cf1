<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Internal\Remember\Freshness;
use Larder\Internal\Remember\StoredValue;
use Larder\Testing\SetClock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/** The probabilities, with a stopped clock and the same random numbers each time. */
#[Group('waiting')]
final class FreshnessTest extends TestCase
{
    private const TIMES = 20_000;

    /** @return iterable<string, array{float, float, float}> */
    public static function distances(): iterable
    {
        // beta, seconds left, seconds of the computation
        foreach ([0.5, 1.0, 2.0] as $beta) {
            foreach ([0.1, 1.0, 2.0, 4.0] as $left) {
                yield "beta $beta, $left s left" => [$beta, $left, 1.0];
            }
        }
        yield 'cheap' => [1.0, 1.0, 0.1];
    }

    /** -cost * beta * log(chance) >= left has the probability exp(-left / (cost * beta)). */
    #[DataProvider('distances')]
    public function testEarlyRecomputationFollowsTheFormula(float $beta, float $left, float $cost): void
    {
        $expected = exp(-$left / ($cost * $beta));
        $deviation = sqrt($expected * (1 - $expected) / self::TIMES);
        self::assertEqualsWithDelta($expected, $this->share($beta, $left, $cost), 4 * $deviation + 1e-4);
    }

    public function testEarlyRecomputationGrowsWithCostAndAge(): void
    {
        self::assertGreaterThan($this->share(1.0, 2.0, 1.0), $this->share(1.0, 1.0, 1.0));
        self::assertGreaterThan($this->share(1.0, 1.0, 0.5), $this->share(1.0, 1.0, 1.0));
    }

    public function testDistantCheapOrPermanentValuesAreNotRecomputedEarly(): void
    {
        $freshness = $this->freshness();
        for ($i = 0; $i < 1000; ++$i) {
            self::assertFalse($freshness->isEarly(new StoredValue(1, 1000.0 + 37.0, 1.0), 1.0), 'far');
            self::assertFalse($freshness->isEarly(new StoredValue(1, 1000.1, 0.0), 1.0), 'cost not known');
            self::assertFalse($freshness->isEarly(new StoredValue(1, 0.0, 1.0), 1.0), 'forever');
            self::assertFalse($freshness->isEarly(new StoredValue(1, 1000.1, 1.0), 0.0), 'not wanted');
            self::assertTrue($freshness->isEarly(new StoredValue(1, 9999.0, 0.0), \INF), 'wanted now');
        }
    }

    public function testTtlIsSpreadByJitter(): void
    {
        $freshness = $this->freshness();
        $ttls = [];
        for ($i = 0; $i < self::TIMES; ++$i) {
            $ttls[] = $freshness->ttl(100.0, 0.2);
        }
        self::assertSame([], array_filter($ttls, static fn(float $ttl): bool => $ttl < 80.0 || $ttl > 100.0));
        self::assertEqualsWithDelta(90.0, array_sum($ttls) / self::TIMES, 0.2);
        self::assertEqualsWithDelta(
            self::TIMES / 4,
            \count(array_filter($ttls, static fn(float $ttl): bool => $ttl < 85.0)),
            250,
        );
        self::assertSame(100.0, $freshness->ttl(100.0, 0.0));
        self::assertSame(0.0, $freshness->ttl(0.0, 0.2), 'no expiry stays no expiry');
    }

    private function share(float $beta, float $left, float $cost): float
    {
        $freshness = $this->freshness();
        $value = new StoredValue(1, 1000.0 + $left, $cost);
        $early = 0;
        for ($i = 0; $i < self::TIMES; ++$i) {
            $early += $freshness->isEarly($value, $beta) ? 1 : 0;
        }

        return $early / self::TIMES;
    }

    private function freshness(): Freshness
    {
        return new Freshness(new SetClock(new \DateTimeImmutable('@1000')), new Randomizer(new Mt19937(7)));
    }
}
