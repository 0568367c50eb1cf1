<?php

declare(strict_types=1);

namespace Larder\Tests\Lock;

use Larder\Cache;
use Larder\Internal\Lock\StripedLock;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** Calls that need many locks while a stopped process holds them all. */
#[Group('waiting')]
final class WaitBudgetTest extends TestCase
{
    private const KEYS = 20;
    /** One call waits a second in total; a second for each key would be 20. */
    private const BOUND = 10.0;

    /** @return iterable<string, array{string, string}> scheme, and the place of its folders */
    public static function stores(): iterable
    {
        yield 'file' => ['file', 'patience'];
        yield 'php-file' => ['php-file', 'patience'];
    }

    #[DataProvider('stores')]
    public function testManyKeysShareOneTimeBudget(string $scheme, string $namespace): void
    {
        $directory = Servers::directory('patience-' . $scheme . bin2hex(random_bytes(4)));
        $cache = Cache::open("$scheme://$directory?namespace=$namespace");
        $values = array_fill_keys(array_map(static fn(int $i): string => 'key ' . $i, range(1, self::KEYS)), 'value');
        self::assertTrue($cache->setMany($values));
        $stopped = self::stopped((array) glob("$directory/$namespace/??"));

        try {
            self::assertGreaterThan(
                0.9,
                self::seconds(static fn(): bool => $cache->set('key 1', 'new')),
                'the control: one key is waited for',
            );
            self::assertLessThan(
                self::BOUND,
                self::seconds(static fn(): bool => $cache->setMany($values)),
                'setMany()',
            );
            self::assertLessThan(
                self::BOUND,
                self::seconds(static fn(): bool => $cache->deleteMany(array_keys($values))),
                'deleteMany()',
            );
            self::assertLessThan(self::BOUND, self::seconds(static fn(): bool => $cache->clear()), 'clear()');
        } finally {
            $stopped->kill();
        }
        self::assertTrue($cache->setMany($values), 'the kernel has freed the locks');
        self::assertTrue($cache->clear());
    }

    public function testStripesShareOneTimeBudget(): void
    {
        $directory = Servers::directory('patience-stripes');
        $lock = new StripedLock($directory);
        foreach (range(0, 31) as $stripe) {
            $lock->around($stripe, static fn(): bool => true);
        }
        $stopped = self::stopped((array) glob("$directory/*.lock"));

        try {
            self::assertLessThan(
                self::BOUND,
                self::seconds(static fn(): bool => $lock->waitBudget->of(static function () use ($lock): bool {
                    foreach (range(1, self::KEYS) as $number) {
                        self::assertNull($lock->around($number, static fn(): bool => true));
                    }

                    return true;
                })),
            );
        } finally {
            $stopped->kill();
        }
    }

    /** @param array<string|false> $paths files that the process locks before it stops */
    private static function stopped(array $paths): Fork
    {
        self::assertNotEmpty($paths);
        $fork = Fork::start(static function () use ($paths): bool {
            $files = [];
            foreach ($paths as $path) {
                $file = fopen((string) $path, is_dir((string) $path) ? 'r' : 'c');
                $files[] = $file;
                if ($file === false || !flock($file, \LOCK_EX)) {
                    throw new \RuntimeException('no lock on ' . $path);
                }
            }

            return posix_kill(posix_getpid(), \SIGSTOP);
        });
        pcntl_waitpid($fork->process, $status, \WUNTRACED);
        self::assertIsInt($status);
        self::assertTrue(pcntl_wifstopped($status));

        return $fork;
    }

    /** @param \Closure(): bool $call */
    private static function seconds(\Closure $call): float
    {
        $start = hrtime(true);
        $call();

        return (hrtime(true) - $start) / 1e9;
    }
}
