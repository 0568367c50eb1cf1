<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Workload\Keys;
use PHPUnit\Framework\TestCase;

final class KeysTest extends TestCase
{
    public function testZipfFollowsItsLaw(): void
    {
        $counts = self::counts(Keys::Zipf);
        // 100,000 / (1 + 2^-0.99 + … + 1000^-0.99), and for the tenth most popular key that number divided by 10^0.99.
        self::assertEqualsWithDelta(12_970, $counts[0], 500);
        self::assertEqualsWithDelta(1_327, $counts[9], 150);
    }

    public function testUniformKeysAreAsPopular(): void
    {
        $counts = self::counts(Keys::Uniform);
        self::assertCount(1_000, $counts);
        self::assertLessThan(2 * $counts[999], $counts[0]);
    }

    public function testDrawsDifferAndSharePopularKeys(): void
    {
        $first = Keys::Zipf->sequence(1_000, 10_000, 0);
        $second = Keys::Zipf->sequence(1_000, 10_000, 1);
        self::assertSame($first, Keys::Zipf->sequence(1_000, 10_000, 0));
        self::assertNotSame($first, $second);
        self::assertSame(self::mostPopular($first), self::mostPopular($second));
    }

    public function testShareOfSetsIsAsAsked(): void
    {
        self::assertCount(0, array_filter(Keys::sets(100, 10_000)));
        self::assertEqualsWithDelta(100, \count(array_filter(Keys::sets(99, 10_000))), 50);
        self::assertEqualsWithDelta(5_000, \count(array_filter(Keys::sets(50, 10_000))), 300);
    }

    /** @return list<int> number of draws of each key, the most popular first */
    private static function counts(Keys $keys): array
    {
        $counts = array_count_values($keys->sequence(1_000, 100_000));
        rsort($counts);

        return $counts;
    }

    /** @param list<int> $sequence */
    private static function mostPopular(array $sequence): int
    {
        $counts = array_count_values($sequence);
        arsort($counts);

        return (int) array_key_first($counts);
    }
}
