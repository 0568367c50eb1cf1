<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Testing\StoreTestCase;
use Larder\Tests\Servers;

/**
 * The controls of the contracts' concurrency tests: without add() several processes win, without lock() they overlap.
 */
final class ConcurrencyControlTest extends StoreTestCase
{
    protected function open(string $namespace): Store
    {
        return Cache::open(\sprintf('file://%s?namespace=%s', Servers::directory('controls'), $namespace))->store();
    }

    public function testHasThenSetHasSeveralWinners(): void
    {
        $won = $this->inProcesses(static function (Cache $cache): int {
            $won = 0;
            for ($i = 0; $i < 200; ++$i) {
                if (!$cache->has('key ' . $i)) {
                    usleep(10);
                    $cache->set('key ' . $i, 1);
                    ++$won;
                }
            }

            return $won;
        });
        self::assertGreaterThan(200, array_sum($won));
    }

    public function testProcessesOverlapWithoutALock(): void
    {
        $file = Servers::directory('controls') . '/entered';
        $met = $this->inProcesses(static function (Cache $cache, int $process) use ($file): int {
            $met = 0;
            $end = microtime(true) + 2;
            while ($met === 0 && microtime(true) < $end) {
                file_put_contents($file, $process);
                usleep(50);
                $met += file_get_contents($file) !== (string) $process ? 1 : 0;
            }

            return $met;
        });
        self::assertGreaterThan(0, array_sum($met));
    }
}
