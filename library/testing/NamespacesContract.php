<?php

declare(strict_types=1);

namespace Larder\Testing;

use Larder\Cache;
use Larder\Contract\Capability;
use PHPUnit\Framework\Attributes\After;

/**
 * Namespaces are caches that share a store. They do not affect each other, whatever their names and keys are.
 *
 * @phpstan-require-extends StoreTestCase
 */
trait NamespacesContract
{
    /** Names that are prefixes of each other and of keys. */
    private const NAMES = ['a', 'aa', 'a_b', 'a-b', 'A', 'a_', '-', 'as-long-as-one-may-be-xx'];

    /** @var list<Cache> */
    private array $opened = [];

    #[After]
    protected function clearNamespaces(): void
    {
        foreach ($this->opened as $cache) {
            $cache->clear();
        }
    }

    public function testEachNamespaceHasItsOwnValues(): void
    {
        $caches = $this->namespaces();
        foreach ($caches as $name => $cache) {
            foreach (self::confusableKeys() as $key) {
                if ($this->hasNamespaces()) {
                    self::assertFalse($cache->has($key), "$key of $name");
                }
                self::assertTrue($cache->set($key, "$key of $name"));
            }
        }
        foreach ($caches as $name => $cache) {
            $of = $this->hasNamespaces() ? $name : array_key_last($caches);
            foreach ($cache->getMany(self::confusableKeys()) as $key => $value) {
                self::assertSame("$key of $of", $value);
                self::assertSame("$key of $of", $cache->get((string) $key));
            }
        }
        $caches['a']->deleteMany(self::confusableKeys());
        foreach ($caches as $name => $cache) {
            self::assertSame($this->hasNamespaces() && $name !== 'a', $cache->has('b:k'), $name);
        }
    }

    public function testClearEmptiesOneNamespace(): void
    {
        $caches = $this->namespaces();
        $cleared = [];
        foreach (self::NAMES as $name) {
            foreach ($caches as $its => $cache) {
                foreach ($cleared === [] ? self::confusableKeys() : [] as $key) {
                    $cache->set($key, $its);
                }
            }
            self::assertTrue($caches[$name]->clear());
            $cleared[] = $name;
            foreach ($caches as $its => $cache) {
                $expected = \in_array($its, $cleared, true) || !$this->hasNamespaces() ? 'gone' : $its;
                self::assertSame(
                    array_fill_keys(self::confusableKeys(), $expected),
                    $cache->getMany(self::confusableKeys(), 'gone'),
                    "$its after clear() of $name",
                );
            }
        }
    }

    public function testEachNamespaceHasItsOwnTags(): void
    {
        $caches = $this->namespaces();
        foreach ($caches as $cache) {
            $cache->set('k', 'value', tags: ['tag', 'a']);
        }
        $caches['a_b']->invalidateTags(['tag']);
        $caches['a']->clear();
        foreach ($caches as $name => $cache) {
            self::assertSame($this->hasNamespaces() && !\in_array($name, ['a', 'a_b'], true), $cache->has('k'), $name);
        }
    }

    public function testEachNamespaceHasItsOwnLocks(): void
    {
        $caches = $this->namespaces();
        if (!$caches['a']->can(Capability::Lock)) {
            self::assertFalse($caches['aa']->can(Capability::Lock));

            return;
        }
        $locks = [];
        foreach ($caches as $name => $cache) {
            $locks[$name] = $cache->lock('k', 60);
            self::assertSame($this->hasNamespaces() || $name === 'a', $locks[$name] !== null, $name);
            self::assertNull($cache->lock('k', 60), $name);
        }
        self::assertTrue($locks['a']?->release());
        foreach ($caches as $name => $cache) {
            $lock = $cache->lock('k', 60);
            self::assertSame($name === 'a', $lock !== null, $name);
        }
    }

    public function testEachNamespaceHasItsOwnCounters(): void
    {
        $caches = $this->namespaces();
        if (!$caches['a']->can(Capability::Atomic)) {
            self::assertFalse($caches['aa']->can(Capability::Atomic));

            return;
        }
        $sum = 0;
        foreach ($caches as $cache) {
            $sum = $this->hasNamespaces() ? 1 : $sum + 1;
            self::assertSame($sum, $cache->increment('n'));
            self::assertFalse($cache->add('n', 7));
        }
    }

    public function testEachNamespaceListsItsOwnKeys(): void
    {
        $caches = $this->namespaces();
        if (!$caches['a']->can(Capability::Keys)) {
            self::assertFalse($caches['aa']->can(Capability::Keys));

            return;
        }
        foreach ($caches as $name => $cache) {
            $cache->setMany(['b:k' => 1, $name => 2], tags: ['tag']);
            if ($cache->can(Capability::Lock)) {
                $cache->lock('lock', 60);
            }
        }
        foreach ($caches as $name => $cache) {
            $expected = $this->hasNamespaces() ? ['b:k', $name] : ['b:k', ...self::NAMES];
            self::assertEqualsCanonicalizing($expected, [...$cache->keys()], $name);
        }
    }

    public function testProcessesInDifferentNamespacesDoNotInterfere(): void
    {
        $forks = [];
        foreach (self::NAMES as $name) {
            $forks[$name] = Fork::start(function () use ($name): int {
                $cache = $this->namespaceCache($name);
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
            // Reopened, because with Memcached an open store sees another process's clear() a moment later.
            self::assertSame(!$this->isShared() ? null : [$name, 24], $this->namespaceCache($name)->get('b:k'));
        }
    }

    /** @return list<string> */
    private static function confusableKeys(): array
    {
        return [
            'k', 'b:k', '_b:k', 'a:k', ':k', '::', 'a_b:k', '=k', '#k', '_', 'generation', ':generation', '*',
            str_repeat('x', 300),
        ];
    }

    /** @return array<string, Cache> by name, all empty */
    private function namespaces(): array
    {
        $caches = [];
        foreach (self::NAMES as $name) {
            $caches[$name] = $this->namespaceCache($name);
            if (!$this->hasNamespaces()) {
                $caches[$name]->clear();
            }
        }

        return $caches;
    }

    private function namespaceCache(string $name): Cache
    {
        return $this->opened[] = new Cache($this->open(substr($this->namespace, -8) . $name));
    }
}
