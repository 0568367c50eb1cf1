<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Cache;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\TestCase;

/** The controls of what CapabilitiesContract tries with many processes: without add() and lock(), several win and meet. */
final class ConcurrencyControlTest extends TestCase
{
    private const PROCESSES = 4;

    public function testHasThenSetHasSeveralWinners(): void
    {
        $won = self::inProcesses(static function (Cache $cache): int {
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
        $met = self::inProcesses(static function (Cache $cache, int $process) use ($file): int {
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

    /**
     * @param \Closure(Cache, int): int $work
     * @return list<int>
     */
    private static function inProcesses(\Closure $work): array
    {
        $address = \sprintf('file://%s?namespace=c%s', Servers::directory('controls'), bin2hex(random_bytes(4)));
        $start = microtime(true) + 0.1;
        $forks = [];
        for ($process = 0; $process < self::PROCESSES; ++$process) {
            $forks[] = Fork::start(static function () use ($address, $start, $work, $process): int {
                $cache = Cache::open($address);
                usleep((int) max(0, 1e6 * ($start - microtime(true))));

                return $work($cache, $process);
            });
        }

        return array_map(static function (Fork $fork): int {
            $count = $fork->result();
            self::assertIsInt($count);

            return $count;
        }, $forks);
    }
}
