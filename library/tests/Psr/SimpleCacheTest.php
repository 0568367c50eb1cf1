<?php

declare(strict_types=1);

namespace Larder\Tests\Psr;

use Larder\Cache;
use Larder\Psr\SimpleCache;
use PHPUnit\Framework\TestCase;

final class SimpleCacheTest extends TestCase
{
    /** A worker may run for days: the keys that it has checked must not accumulate in memory. */
    public function testMemoryDoesNotGrowWithTheKeys(): void
    {
        $cache = new SimpleCache(Cache::open('none:'));
        $askFor = static function (int $from) use ($cache): int {
            for ($i = $from; $i < $from + 20_000; ++$i) {
                $cache->get(str_pad('key' . $i, 190, '.'));
                $cache->get(str_pad('key' . $i, 2_000, '.'));
            }

            return memory_get_usage();
        };
        // Twenty thousand keys of 190 bytes would be 5 MB.
        self::assertLessThan($askFor(0) + 100_000, $askFor(20_000));
    }

    /** Valid keys are not checked again; invalid ones always are. */
    public function testInvalidKeyIsRefusedAmongValidOnes(): void
    {
        $cache = new SimpleCache(Cache::open('none:'));
        for ($i = 0; $i < 3_000; ++$i) {
            self::assertNull($cache->get('key' . $i));
            try {
                $cache->get('key:' . $i % 5);
                self::fail('key:' . $i % 5);
            } catch (\Psr\SimpleCache\InvalidArgumentException) {
            }
        }
    }
}
