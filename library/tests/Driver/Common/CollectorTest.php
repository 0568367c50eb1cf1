<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Common;

use Larder\Cache;
use Larder\Testing\Fork;
use Larder\Tests\Servers;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/** The number of files does not grow without limit. */
final class CollectorTest extends TestCase
{
    private string $home;

    protected function setUp(): void
    {
        $this->home = Servers::directory('collected-' . bin2hex(random_bytes(4)));
    }

    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testWritesRemoveExpiredFiles(string $scheme): void
    {
        $cache = $this->open($scheme);
        $this->fill($cache, 2000, 0.01);
        $cache->set('stays', 1);
        usleep(20_000);
        $before = $this->files();
        self::assertGreaterThan(1500, $before, 'the control: time alone removes none');
        for ($i = 0; $i < 10_000; ++$i) {
            $cache->set('often', $i, 60);
        }
        // 312 looks into random ones of 256 folders: on average, three tenths of the folders get none.
        self::assertLessThan(0.6 * $before, $this->files());
        self::assertSame([1, 9999], [$cache->get('stays'), $cache->get('often')]);
    }

    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testPruneRemovesAllExpiredFiles(string $scheme): void
    {
        $cache = $this->open($scheme);
        $this->fill($cache, 500, 0.01);
        $this->fill($cache, 100, 0, 'stays ');
        $cache->lock('lock', 0.01);
        usleep(20_000);
        $before = $this->files();
        $leftover = (string) ((array) glob($this->home . '/larder/??/*'))[0] . '.1.2.3.tmp';
        touch($leftover, time() - 7200);
        file_put_contents(
            \dirname($leftover) . '/' . str_repeat('0', 32) . ($scheme === 'file' ? '.cache' : '.php'),
            'damaged',
        );
        file_put_contents(\dirname($leftover) . '/notes.txt', 'of somebody');
        // Includes the damaged file.
        self::assertSame($before - 100 + 1, $cache->prune());
        self::assertSame(100, $this->files());
        self::assertFileDoesNotExist($leftover);
        self::assertFileExists(\dirname($leftover) . '/notes.txt');
        self::assertCount(100, [...$cache->keys()]);
    }

    #[TestWith(['file'])]
    #[TestWith(['php-file'])]
    public function testMaximumSizeIsKept(string $scheme): void
    {
        $size = 8 << 20;
        foreach (['?max_size=' . $size => true, '?namespace=control' => false] as $options => $isKept) {
            $cache = $this->open($scheme, $options);
            $most = 0;
            for ($i = 0; $i < 6000; ++$i) {
                if ($i === 3000) {
                    usleep(1_100_000); // file systems record times in seconds
                }
                self::assertTrue($cache->set('key ' . $i, str_repeat('x', 3000)));
                if ($i % 500 === 499) {
                    $most = max($most, 4096 * $this->files($isKept ? 'larder' : 'control'));
                    self::assertNotNull($cache->get('key ' . $i), 'what has just been written stays');
                }
            }
            if (!$isKept) {
                self::assertSame(6000 * 4096, $most, 'the control: without the option nothing goes');

                continue;
            }
            self::assertLessThan(1.1 * $size, $most);
            self::assertGreaterThan(0.5 * $size, $most);
            $found = array_map($cache->has(...), array_map(static fn(int $i): string => "key $i", range(0, 5999)));
            self::assertLessThan(
                300,
                array_sum(\array_slice($found, 0, 3000)),
                'what was written longest ago has gone',
            );
            self::assertGreaterThan(1000, array_sum($found));
        }
    }

    /** A value may be larger than the 256th part that its folder may use. */
    public function testLargeValueEvictsTheOthers(): void
    {
        $cache = $this->open('file', '?max_size=' . (1 << 20));
        $large = random_bytes(100_000);
        self::assertTrue($cache->set('large', $large));
        self::assertSame($large, $cache->get('large'));
    }

    /** A write does not wait for a folder that it only wants to clean. */
    public function testWriteDoesNotWaitForOtherFolders(): void
    {
        $cache = $this->open('file');
        $this->fill($cache, 2000, 0.01);
        $cache->set('k', 1);
        $held = [];
        foreach ((array) glob($this->home . '/larder/??') as $folder) {
            if (
                (string) $folder
                !== \dirname((string) ((array) glob($this->home . '/larder/*/' . hash('xxh128', 'k') . '.cache'))[0])
            ) {
                $held[(string) $folder] = fopen((string) $folder, 'r');
            }
        }
        $child = Fork::start(static function () use ($held): void {
            $own = [];
            foreach (array_keys($held) as $folder) {
                $own[$folder] = fopen($folder, 'r');
                self::assertNotFalse($own[$folder]);
                flock($own[$folder], \LOCK_EX);
            }
            sleep(60);
        });
        foreach (\array_slice(array_keys($held), -1) as $last) {
            $handle = fopen($last, 'r');
            self::assertNotFalse($handle);
            while (flock($handle, \LOCK_EX | \LOCK_NB)) {
                flock($handle, \LOCK_UN);
                usleep(1000);
            }
        }
        // If it waited, it would do so thirty times for a second.
        $start = microtime(true);
        for ($i = 0; $i < 1000; ++$i) {
            $cache->set('k', $i, 60);
        }
        $took = microtime(true) - $start;
        $child->kill();
        self::assertLessThan(15.0, $took);
    }

    private function open(string $scheme, string $options = ''): Cache
    {
        return Cache::open("$scheme://$this->home$options");
    }

    private function fill(Cache $cache, int $count, float $ttl, string $prefix = ''): void
    {
        for ($i = 0; $i < $count; ++$i) {
            $cache->set($prefix . $i, $i, $ttl);
        }
    }

    private function files(string $namespace = 'larder'): int
    {
        return \count((array) glob("$this->home/$namespace/??/*.{cache,php}", \GLOB_BRACE));
    }
}
