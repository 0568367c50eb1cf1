<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Capability;
use PHPUnit\Framework\TestCase;

/**
 * What a store promises of namespaces: caches in one place that do not know of each other, whatever they are called and
 * whatever their keys look like. A store's test inherits it and says how a namespace is opened. It forks, so it needs the
 * extensions pcntl and posix.
 */
abstract class NamespacesContract extends TestCase
{
    /** The beginnings of each other, and of each other's keys. */
    private const NAMES = ['a', 'aa', 'a_b', 'a-b', 'A', 'a_', '-', 'as-long-as-one-may-be-xx'];

    /** @var array<string, Cache> by name */
    private array $caches;

    /**
     * Opens the store with a namespace. One that was opened and filled before is found again, unless isOnlyInItsObject().
     *
     * @param string $namespace at most 24 of A-Z a-z 0-9 _ -; what is put before it is the same for all
     */
    abstract protected function open(string $namespace): Cache;

    /** False for a store that has the whole place to itself: then all that is opened is one cache. */
    protected function hasNamespaces(): bool
    {
        return true;
    }

    /** True for a store whose values are in the object and nowhere else: each object is a namespace then. */
    protected function isOnlyInItsObject(): bool
    {
        return false;
    }

    protected function setUp(): void
    {
        foreach (self::NAMES as $name) {
            $this->caches[$name] = $this->open($name);
            $this->caches[$name]->clear();
        }
    }

    protected function tearDown(): void
    {
        foreach ($this->caches as $cache) {
            $cache->clear();
        }
    }

    public function testEachHasItsOwnValues(): void
    {
        foreach ($this->caches as $name => $cache) {
            foreach (self::keys() as $key) {
                if ($this->hasNamespaces()) {
                    self::assertFalse($cache->has($key), "$key of $name");
                }
                self::assertTrue($cache->set($key, "$key of $name"));
            }
        }
        foreach ($this->caches as $name => $cache) {
            $of = $this->hasNamespaces() ? $name : self::last();
            foreach ($cache->getMany(self::keys()) as $key => $value) {
                self::assertSame("$key of $of", $value);
                self::assertSame("$key of $of", $cache->get((string) $key));
            }
        }
        $this->caches['a']->deleteMany(self::keys());
        foreach ($this->caches as $name => $cache) {
            self::assertSame($this->hasNamespaces() && $name !== 'a', $cache->has('b:k'), $name);
        }
    }

    public function testClearEmptiesOne(): void
    {
        $cleared = [];
        foreach (self::NAMES as $name) {
            foreach ($this->caches as $its => $cache) {
                foreach ($cleared === [] ? self::keys() : [] as $key) {
                    $cache->set($key, $its);
                }
            }
            self::assertTrue($this->caches[$name]->clear());
            $cleared[] = $name;
            foreach ($this->caches as $its => $cache) {
                $expected = \in_array($its, $cleared, true) || !$this->hasNamespaces() ? 'gone' : $its;
                self::assertSame(array_fill_keys(self::keys(), $expected), $cache->getMany(self::keys(), 'gone'), "$its after clear() of $name");
            }
        }
    }

    public function testEachHasItsOwnTags(): void
    {
        foreach ($this->caches as $cache) {
            $cache->set('k', 'value', tags: ['tag', 'a']);
        }
        $this->caches['a_b']->invalidateTags(['tag']);
        $this->caches['a']->clear();
        foreach ($this->caches as $name => $cache) {
            self::assertSame($this->hasNamespaces() && !\in_array($name, ['a', 'a_b'], true), $cache->has('k'), $name);
        }
    }

    public function testEachHasItsOwnLocks(): void
    {
        if (!$this->caches['a']->can(Capability::Lock)) {
            self::assertFalse($this->caches['aa']->can(Capability::Lock));

            return;
        }
        $locks = [];
        foreach ($this->caches as $name => $cache) {
            $locks[$name] = $cache->lock('k', 60);
            self::assertSame($this->hasNamespaces() || $name === 'a', $locks[$name] !== null, $name);
            self::assertNull($cache->lock('k', 60), $name);
        }
        self::assertTrue($locks['a']?->release());
        foreach ($this->caches as $name => $cache) {
            $lock = $cache->lock('k', 60);
            self::assertSame($name === 'a', $lock !== null, $name);
        }
    }

    public function testEachCountsForItself(): void
    {
        if (!$this->caches['a']->can(Capability::Atomic)) {
            self::assertFalse($this->caches['aa']->can(Capability::Atomic));

            return;
        }
        $sum = 0;
        foreach ($this->caches as $cache) {
            $sum = $this->hasNamespaces() ? 1 : $sum + 1;
            self::assertSame($sum, $cache->increment('n'));
            self::assertFalse($cache->add('n', 7));
        }
    }

    public function testEachListsItsOwnKeys(): void
    {
        if (!$this->caches['a']->can(Capability::Keys)) {
            self::assertFalse($this->caches['aa']->can(Capability::Keys));

            return;
        }
        foreach ($this->caches as $name => $cache) {
            $cache->setMany(['b:k' => 1, $name => 2], tags: ['tag']);
            if ($cache->can(Capability::Lock)) {
                $cache->lock('lock', 60);
            }
        }
        foreach ($this->caches as $name => $cache) {
            $expected = $this->hasNamespaces() ? ['b:k', $name] : ['b:k', ...self::NAMES];
            self::assertEqualsCanonicalizing($expected, [...$cache->keys()], $name);
        }
    }

    public function testProcessesInNamespacesOfTheirOwnDoNotMeet(): void
    {
        $forks = [];
        foreach (self::NAMES as $name) {
            $forks[$name] = Fork::start(function () use ($name): int {
                $cache = $this->open($name);
                $mixed = 0;
                for ($i = 0; $i < 25; ++$i) {
                    $cache->set('b:k', [$name, $i], tags: ['tag']);
                    $value = $cache->get('b:k');
                    $mixed += \is_array($value) && $value[0] !== $name ? 1 : 0;
                    if ($i % 5 === 0) {
                        $cache->clear();
                    }
                }

                return $mixed;
            });
        }
        $mixed = array_map(static fn(Fork $fork): mixed => $fork->result(), $forks);
        if (!$this->hasNamespaces()) {
            self::assertContainsOnlyInt($mixed);

            return;
        }
        self::assertSame(array_fill_keys(self::NAMES, 0), $mixed);
        foreach (self::NAMES as $name) {
            // Opened again: on memcached another's clear() is seen a moment later.
            self::assertSame($this->isOnlyInItsObject() ? null : [$name, 24], $this->open($name)->get('b:k'));
        }
    }

    /** @return list<string> */
    private static function keys(): array
    {
        return ['k', 'b:k', '_b:k', 'a:k', ':k', '::', 'a_b:k', '=k', '#k', '_', 'generation', ':generation', '*', str_repeat('x', 300)];
    }

    private static function last(): string
    {
        return self::NAMES[\count(self::NAMES) - 1];
    }
}
