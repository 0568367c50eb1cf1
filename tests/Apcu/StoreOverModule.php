<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Apcu;

use Larder\Cache;
use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Apcu\Apcu;
use Larder\Internal\Driver\Apcu\ApcuStore;
use Larder\Internal\Driver\Engine\EngineStore;
use Larder\Testing\Fork;
use Larder\Tests\Driver\DriverTestCase;

/** The library's apcu: store, in a PHP with Larder's module apcu. StoreTest starts it. */
final class StoreOverModule extends DriverTestCase
{
    private const COUNTS = 300;

    public static function dsn(string $namespace): string
    {
        return 'apcu:?namespace=' . $namespace;
    }

    public function testStoreIsTheEngines(): void
    {
        self::assertTrue(Apcu::isLarders());
        self::assertInstanceOf(EngineStore::class, $this->store);
        self::assertThrows(StoreUnavailable::class, static fn(): ApcuStore => new ApcuStore(), 'Open the DSN apcu:');
    }

    public function testConcurrentSetIfUnchangedLosesNoCount(): void
    {
        $this->cache->set('n', 0);
        self::counted(function (): void {
            $cache = $this->reopenedCache();
            $end = microtime(true) + 60;
            for ($i = 0; $i < self::COUNTS; ++$i) {
                do {
                    $n = $cache->getWithToken('n', 0, $token);
                    $isCounted = \is_int($n) && \is_string($token) && $cache->setIfUnchanged('n', $token, $n + 1);
                } while (!$isCounted && microtime(true) < $end);
            }
        });
        self::assertSame(3 * self::COUNTS, $this->cache->get('n'));
    }

    /** A process that has read before must not undo a delete() or set(), which do not read. */
    public function testSetIfDoesNotBringBackWhatIsDeleted(): void
    {
        $this->cache->set('k', 0);
        $end = microtime(true) + 1.0;
        $replaces = Fork::start(function () use ($end): bool {
            $store = Capability::of($this->open($this->namespace), AtomicStore::class);
            while (microtime(true) < $end) {
                $store->setIf('k', static fn(): bool => true, 'replaced');
            }

            return true;
        });
        $stale = $writes = 0;
        while (microtime(true) < $end) {
            $this->store->delete('k');
            ++$writes;
            $stale += $this->store->has('k') ? 1 : 0;
            $this->store->set('k', $writes);
        }
        self::assertTrue($replaces->result());
        self::assertGreaterThan(0, $writes);
        self::assertSame(0, $stale, 'what was deleted came back');
    }

    /**
     * The control: a callback of apcu_entry() excludes others only from its own key; APCu's excludes them from all
     * keys.
     */
    public function testSectionOfApcuEntryExcludesNobody(): void
    {
        apcu_store('n', 0);
        self::counted(static function (): void {
            for ($i = 0; $i < self::COUNTS; ++$i) {
                apcu_entry('section ' . bin2hex(random_bytes(8)), static function (): bool {
                    $n = apcu_fetch('n');
                    usleep(10);

                    return apcu_store('n', (\is_int($n) ? $n : 0) + 1);
                }, 1);
            }
        });
        self::assertLessThan(3 * self::COUNTS, apcu_fetch('n'));
    }

    public function testClearsOfTheApplicationAndOfTheStoreAreApart(): void
    {
        $larder = Cache::open('larder:?namespace=' . $this->namespace);
        apcu_store('k', 'of the application');
        $this->cache->set('k', 'of apcu:');
        $larder->set('k', 'of larder:');
        apcu_clear_cache();
        self::assertSame(['of apcu:', 'of larder:', false], [$this->cache->get('k'), $larder->get('k'), apcu_fetch('k')]);
        self::assertTrue($larder->clear());
        self::assertSame(['of apcu:', null], [$this->cache->get('k'), $larder->get('k')]);
    }

    /** @param \Closure(): void $work */
    private static function counted(\Closure $work): void
    {
        foreach (Fork::several(3, static function (int $process, \Closure $awaitOthers) use ($work): bool {
            $awaitOthers();
            $work();

            return true;
        }) as $fork) {
            self::assertTrue($fork->result());
        }
    }

    protected function longestListed(): int
    {
        return 65_522;
    }

    /** More than an eighth of the segment that StoreTest sets. */
    protected function tooLarge(): string
    {
        return random_bytes(20 << 20);
    }

    /** A cache of larder: with the same namespace is separate. */
    protected function plantNeighbour(): void
    {
        apcu_store(['contract' => 'keep', $this->namespace . ':k' => 'keep', 'k' => 'keep']);
        Cache::open('larder:?namespace=' . $this->namespace)->set('k', 'keep');
    }

    protected function neighbourIsThere(): bool
    {
        $names = ['contract', $this->namespace . ':k', 'k'];

        return apcu_fetch($names) === array_fill_keys($names, 'keep') && Cache::open('larder:?namespace=' . $this->namespace)->get('k') === 'keep';
    }
}
