<?php

declare(strict_types=1);

namespace Larder\Tests\Remember;

use Larder\Cache;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use Larder\Tests\Tag\RecordingStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/**
 * Computing processes are killed at any moment and others take over, while a writer sets and deletes. No process reads
 * a value older than a finished write.
 */
#[Group('waiting')]
final class KilledComputationsTest extends TestCase
{
    private const READERS = 6;
    private const SECONDS = 4.0;
    /** Lower limit, for a busy machine. */
    private const KILLS = 20;
    private const READS = 500;
    private const LEASE = 0.05;

    /** Folder with the cached data, the version up to which it is known to be changed, and a byte for each old read. */
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = Servers::directory('killed-' . bin2hex(random_bytes(4)));
    }

    /** @return iterable<string, array{\Closure(): string}> */
    public static function stores(): iterable
    {
        yield 'redis' => [
            static fn(): string => 'redis://' . Servers::redis()->socket . '?namespace=killed' . Servers::PATIENTLY,
        ];
        yield 'memcached' => [
            static fn(): string
                => 'memcached://' . Servers::memcached()->socket . '?namespace=killed' . Servers::PATIENTLY,
        ];
        yield 'larder' => [static fn(): string => 'larder:?namespace=killed'];
    }

    /** @param \Closure(): string $dsn */
    #[DataProvider('stores')]
    public function testNoReadIsOlderThanAFinishedWrite(\Closure $dsn): void
    {
        self::assertSame(0, $this->storm(static fn(): Cache => Cache::open($dsn())));
    }

    /**
     * The control: values are stored without a comparison.
     *
     * @param \Closure(): string $dsn
     */
    #[DataProvider('stores')]
    public function testStoreWithoutComparisonReturnsOldValues(\Closure $dsn): void
    {
        self::assertGreaterThan(
            0,
            $this->storm(static fn(): Cache => new Cache(new RecordingStore(Cache::open($dsn())->store()))),
        );
    }

    /**
     * @param \Closure(): Cache $open
     * @return int number of old reads
     */
    private function storm(\Closure $open): int
    {
        [$data, $finished, $reads, $old] = [
            "$this->folder/data",
            "$this->folder/finished",
            "$this->folder/reads",
            "$this->folder/old",
        ];
        array_map(static fn(string $file): int|false => file_put_contents($file, ''), [$reads, $old]);
        $this->write($data, 0);
        $this->write($finished, 0);
        $cache = $open();
        $cache->delete('k');
        $reader = static function () use ($open, $data, $finished, $reads, $old): void {
            $cache = $open();
            for ($call = 0; $call < \PHP_INT_MAX; ++$call) {
                $least = (int) file_get_contents($finished);

                try {
                    $found = $cache->remember('k', 60, static function () use ($data): int {
                        $found = (int) file_get_contents($data);
                        usleep(random_int(0, 3000));

                        return random_int(0, 9) === 0 ? throw new \DomainException('no data') : $found;
                    }, lease: self::LEASE);
                    file_put_contents($reads, '.', \FILE_APPEND);
                    if ($found < $least) {
                        file_put_contents($old, '.', \FILE_APPEND);
                    }
                } catch (\DomainException) {
                    // expected
                }
            }
        };
        $forks = array_map(static fn(): Fork => Fork::start($reader), range(1, self::READERS));
        $kills = 0;
        for ($version = 1, $end = microtime(true) + self::SECONDS; microtime(
            true,
        ) < $end || $kills < self::KILLS || \strlen((string) file_get_contents($reads)) < self::READS; ++$version) {
            $this->write($data, $version);
            $isWritten = $version % 2 === 0 ? $cache->delete('k') : $cache->set('k', $version, 60);
            if ($isWritten) {
                $this->write($finished, $version);
            }
            usleep(random_int(0, 10_000));
            if ($version % 8 === 0) {
                $one = random_int(0, self::READERS - 1);
                $forks[$one]->kill();
                $forks[$one] = Fork::start($reader);
                ++$kills;
            }
        }
        array_map(static fn(Fork $fork) => $fork->kill(), $forks);

        return (int) filesize($old);
    }

    private function write(string $file, int $version): void
    {
        file_put_contents("$file.new", (string) $version);
        rename("$file.new", $file);
    }
}
