<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Legacy\Yac;

use Larder\Contract\Capability;
use Larder\Internal\Driver\Legacy\Yac\YacStore;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;
use Yac;

final class YacTest extends DriverTestCase
{
    /** A full Yac may drop the newest entry, because an old one's time of use was overwritten by another value. */
    protected function setUp(): void
    {
        (new Yac())->flush();
        parent::setUp();
    }

    public static function dsn(string $namespace): string
    {
        return 'yac:?namespace=' . $namespace;
    }

    protected function capabilities(): array
    {
        return [Capability::Lock];
    }

    /** Yac has no locks: an entry is lost if two processes write at once, or one is stopped while it writes. */
    protected function expectedLosses(): int
    {
        return 10;
    }

    /** Yac accepts 1 MB after compression; random bytes do not compress. */
    protected function tooLarge(): string
    {
        return random_bytes(2 << 20);
    }

    protected function plantNeighbour(): void
    {
        (new Yac())->set('k', 'keep');
    }

    protected function neighbourIsThere(): bool
    {
        return (new Yac())->get('k') === 'keep';
    }

    public function testCollidingHashIsAMiss(): void
    {
        $store = new YacStore('collide');
        $long = str_repeat('long', 100);
        $store->set($long, 'value');
        $generation = (new Yac())->get('larder-generation:' . substr(hash('xxh128', 'collide'), 0, 24));
        self::assertIsString($generation);
        $name = static fn(string $key): string => $generation . '#' . hash('xxh128', $key);
        $stored = (new Yac())->get($name($long));
        self::assertIsString($stored);
        (new Yac())->set($name(strtoupper($long)), $stored);
        self::assertSame('value', $store->get($long));
        self::assertNull($store->get(strtoupper($long)), 'as if both keys had one hash');
        $store->clear();
    }

    /** Yac itself checks only 256 bytes of a long value. */
    public function testChangedByteOfALongValueIsAMiss(): void
    {
        $store = new YacStore('changed');
        $store->set('k', str_repeat('x', 100_000));
        $generation = (new Yac())->get('larder-generation:' . substr(hash('xxh128', 'changed'), 0, 24));
        self::assertIsString($generation);
        $stored = (new Yac())->get($generation . '=k');
        self::assertIsString($stored);
        $stored[50_001] = 'y';
        (new Yac())->set($generation . '=k', $stored);
        self::assertNull($store->get('k'));
        $store->clear();
    }

    public function testLossesAreCounted(): void
    {
        $store = new YacStore('losses');
        $before = $store->losses();
        // This uses up Yac's defaults, 32,768 slots and 64 MB of memory.
        for ($i = 0; $i < 40_000; ++$i) {
            $store->set('k' . $i, str_repeat('x', 2000));
        }
        $lost = 0;
        for ($i = 0; $i < 40_000; ++$i) {
            $lost += $store->get('k' . $i) === null ? 1 : 0;
        }
        $after = $store->losses();
        self::assertGreaterThan(0, $lost);
        self::assertGreaterThan($before['kicks'] + $before['recycles'], $after['kicks'] + $after['recycles']);
        (new Yac())->flush(); // tests of all stores follow
    }

    public function testLostNamespaceVersionEmptiesTheNamespace(): void
    {
        $store = new YacStore('generation');
        $store->set('k', 'old');
        (new Yac())->delete('larder-generation:' . substr(hash('xxh128', 'generation'), 0, 24));
        self::assertNull($store->get('k'));
        self::assertTrue($store->set('l', 'new'));
        self::assertSame('new', $store->get('l'));
        self::assertNull($store->get('k'));
        $store->clear();
    }

    /**
     * Yac misses while another process reads. Such a miss must not look like a lost namespace version, which would
     * empty the namespace.
     */
    public function testManyReadersDoNotEmptyTheNamespace(): void
    {
        $store = $this->open('readers');
        $store->set('k', 'value');
        $generation = static fn(): mixed
            => (new Yac())->get('larder-generation:' . substr(hash('xxh128', 'readers'), 0, 24));
        $before = $generation();
        $readers = Fork::several(60, static function (int $process, \Closure $awaitOthers) use ($store): void {
            $awaitOthers();
            for ($i = 0; $i < 3000; ++$i) {
                $store->get('k');
            }
        });
        array_map(static fn(Fork $fork): mixed => $fork->result(), $readers);
        self::assertIsString($before);
        self::assertSame($before, $generation());
        self::assertSame('value', $store->get('k'));
    }
}
