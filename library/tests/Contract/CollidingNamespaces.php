<?php

declare(strict_types=1);

namespace Larder\Tests\Contract;

use Larder\Contract\Store;
use Larder\Driver\Common\LoopedBatch;
use Larder\Driver\Memory\ArrayStore;
use Larder\Testing\NamespacesContract;
use Larder\Testing\StoreTestCase;
use PHPUnit\Framework\AssertionFailedError;

/** Prefixes keys with the namespace and a separator that may occur in both: NamespacesContract must notice. */
final class CollidingNamespaces extends StoreTestCase
{
    use NamespacesContract;

    private ArrayStore $shared;
    private string $separator = '';
    private bool $clearsAll = false;

    public static function separatedBy(string $separator, bool $clearsAll = false): self
    {
        $control = new self('control');
        $control->shared = new ArrayStore();
        $control->separator = $separator;
        $control->clearsAll = $clearsAll;

        return $control;
    }

    /**
     * @param 'testEachNamespaceHasItsOwnValues'|'testClearEmptiesOneNamespace'|'testEachNamespaceHasItsOwnTags' $test
     */
    public function holds(string $test): bool
    {
        $this->setUp();

        try {
            match ($test) {
                'testEachNamespaceHasItsOwnValues' => $this->testEachNamespaceHasItsOwnValues(),
                'testClearEmptiesOneNamespace' => $this->testClearEmptiesOneNamespace(),
                'testEachNamespaceHasItsOwnTags' => $this->testEachNamespaceHasItsOwnTags(),
            };

            return true;
        } catch (AssertionFailedError) {
            return false;
        }
    }

    protected function open(string $namespace): Store
    {
        return new class ($this->shared, $namespace . $this->separator, $this->clearsAll) implements Store {
            use LoopedBatch;

            public function __construct(
                private readonly ArrayStore $shared,
                private readonly string $prefix,
                private readonly bool $clearsAll,
            ) {}

            public function get(string $key, mixed $default = null): mixed
            {
                return $this->shared->get($this->prefix . $key, $default);
            }

            public function has(string $key): bool
            {
                return $this->shared->has($this->prefix . $key);
            }

            public function set(string $key, mixed $value, int|float $ttl = 0): bool
            {
                return $this->shared->set($this->prefix . $key, $value, $ttl);
            }

            public function delete(string $key): bool
            {
                return $this->shared->delete($this->prefix . $key);
            }

            public function clear(): bool
            {
                foreach ($this->shared->keys() as $key) {
                    if ($this->clearsAll || str_starts_with($key, $this->prefix)) {
                        $this->shared->delete($key);
                    }
                }

                return true;
            }
        };
    }
}
