<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Capability;
use Larder\Contract\ExpiryAwareStore;
use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;
use Larder\Exception\NotSupported;

/**
 * The declared capabilities of a store, and listing, expiry and pruning. A call of a missing capability must throw.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait CapabilitiesContract
{
    public function testDeclaredCapabilitiesWork(): void
    {
        self::assertSame(
            $this->capabilities(),
            array_values(array_filter(Capability::cases(), $this->cache->can(...))),
        );
    }

    public function testMissingCapabilityIsRefusedNamingStoresThatHaveIt(): void
    {
        $calls = [
            [Capability::Atomic, fn(): bool => $this->cache->add('k', 1)],
            [Capability::Atomic, fn(): bool => $this->cache->replace('k', 1)],
            [Capability::Atomic, fn(): int|false => $this->cache->increment('k')],
            [Capability::Atomic, fn(): bool => $this->cache->touch('k', 1)],
            [Capability::Atomic, fn(): bool => $this->cache->swap('k', 1, 2)],
            [Capability::Atomic, fn(): bool => $this->setIf('k', static fn(): bool => true, 1)],
            [Capability::Lock, fn(): mixed => $this->cache->lock('k', 1)],
            [Capability::Keys, fn(): iterable => $this->cache->keys()],
            [Capability::Expiry, fn(): mixed => $this->cache->expiry('k')],
            [Capability::Prune, fn(): int => $this->cache->prune()],
        ];
        foreach ($calls as [$capability, $call]) {
            $message = '';

            try {
                $call();
            } catch (NotSupported $refusal) {
                $message = $refusal->getMessage();
            }
            self::assertMatchesRegularExpression(
                $this->cache->can($capability)
                    ? '/^$/'
                    : '/^The store [\w\\\\]+ cannot ' . $capability->words() . '\. /',
                $message,
            );
        }
    }

    public function testKeysAreListed(): void
    {
        $this->ifCan(Capability::Keys, function (): void {
            $keys = ['a', 'b:1', 'b:2', '7', ...self::sampleKeys()];
            foreach ($keys as $key) {
                $this->cache->set($key, 'value of ' . $key);
            }
            $this->cache->set('with ttl', 1, 60);
            $this->cache->set('gone', 1, 0.05);
            $this->cache->set('deleted', 1);
            $this->cache->delete('deleted');
            $other = !$this->isShared() ? $this->cache : new Cache($this->open($this->namespace . 'x'));
            $other->set('a', 'of another namespace');
            if ($this->cache->can(Capability::Lock)) {
                $this->cache->lock('a lock is no value', 60);
            }
            usleep(60_000);
            $keys = array_values(array_filter(
                [...$keys, 'with ttl'],
                fn(string $key): bool => \strlen($key) <= $this->longestListed(),
            ));
            sort($keys, \SORT_STRING);
            $listed = [...$this->cache->keys()];
            sort($listed, \SORT_STRING);
            self::assertSame($keys, $listed);
            self::assertEqualsCanonicalizing(['b:1', 'b:2'], [...$this->cache->keys('b:')]);
            $other->clear();
        });
    }

    public function testExpiryIsReported(): void
    {
        $this->ifCan(Capability::Expiry, function (): void {
            $before = microtime(true);
            foreach (self::sampleKeys() as $key) {
                self::assertNull($this->cache->expiry($key));
                $this->cache->set($key, null);
                self::assertSame(0.0, $this->cache->expiry($key), 'never');
                $this->cache->set($key, ['value'], 100);
                self::assertEqualsWithDelta($before + 100, $this->cache->expiry($key), 10.0);
                self::assertSame(['value'], $this->cache->get($key), 'asking changes nothing');
            }
            $this->cache->set('gone', 1, 0.05);
            $this->cache->set('7', 'seven', 50);
            usleep(60_000);
            self::assertNull($this->cache->expiry('gone'));
            $store = $this->cache->store();
            if ($store instanceof ExpiryAwareStore) {
                $entries = $store->entries(['gone', '7', ...self::sampleKeys()]);
                self::assertEqualsCanonicalizing(
                    ['7', ...self::sampleKeys()],
                    array_map(strval(...), array_keys($entries)),
                );
                self::assertSame('seven', $entries['7']->stored);
                self::assertSame([], $store->entries([]));
            }
            $this->cache->touch('7', 1000);
            self::assertEqualsWithDelta(microtime(true) + 1000, $this->cache->expiry('7'), 10.0);
        });
    }

    public function testPruneRemovesExpiredValues(): void
    {
        $this->ifCan(Capability::Prune, function (): void {
            $this->cache->prune();
            $this->cache->set('forever', 1);
            $this->cache->set('long', 1, 1000);
            foreach (range(1, 5) as $i) {
                $this->cache->set("short $i", 1, 0.05);
            }
            $other = new Cache($this->open($this->namespace . 'x'));
            $other->set('of another namespace', 1, 0.05);
            usleep(60_000);
            // Writes may have removed some of the expired entries.
            self::assertLessThanOrEqual(5, $this->cache->prune());
            self::assertSame(0, $this->cache->prune());
            self::assertSame([1, 1], [$this->cache->get('forever'), $this->cache->get('long')]);
            self::assertLessThanOrEqual(1, $other->prune());
            $other->clear();
        });
    }

    public function testCapabilitiesRefuseInvalidKeysAndTtls(): void
    {
        $calls = [
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->add($key, 1, $ttl), true],
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->replace($key, 1, $ttl), true],
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->increment($key, ttl: $ttl), true],
            [
                Capability::Atomic,
                fn(string $key, float $ttl): mixed => $this->cache->increment($key, first: 1, ttl: $ttl),
                true,
            ],
            [Capability::Atomic, fn(string $key, float $ttl): mixed => $this->cache->touch($key, $ttl), true],
            [Capability::Atomic, fn(string $key): mixed => $this->cache->swap($key, 1, 2), false],
            [
                Capability::Atomic,
                fn(string $key, float $ttl): mixed => $this->setIf($key, static fn(): bool => true, 1, $ttl),
                true,
            ],
            [Capability::Expiry, fn(string $key): mixed => $this->cache->expiry($key), false],
            [Capability::Lock, fn(string $key, float $ttl): mixed => $this->cache->lock($key, $ttl), true],
            [Capability::Lock, fn(string $key, float $ttl): mixed => $this->cache->lock($key, 1, wait: $ttl), true],
        ];
        foreach ($calls as [$capability, $call, $takesTtl]) {
            self::assertThrows(
                $this->cache->can($capability) ? InvalidKey::class : NotSupported::class,
                static fn(): mixed => $call('', 1.0),
            );
            self::assertThrows(
                $this->cache->can($capability) ? InvalidKey::class : NotSupported::class,
                static fn(): mixed => $call(str_repeat('x', 65_536), 1.0),
            );
            foreach ($takesTtl ? [-1.0, \NAN] : [] as $ttl) {
                self::assertThrows(
                    $this->cache->can($capability) ? InvalidTtl::class : NotSupported::class,
                    static fn(): mixed => $call('k', $ttl),
                );
            }
        }
        if ($this->cache->can(Capability::Lock)) {
            self::assertThrows(InvalidTtl::class, fn(): mixed => $this->cache->lock('k', 0));
            self::assertThrows(InvalidTtl::class, fn(): mixed => $this->cache->lock('k', \INF));
        }
    }
}
