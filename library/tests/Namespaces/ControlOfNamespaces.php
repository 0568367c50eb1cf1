<?php

declare(strict_types=1);

namespace Larder\Tests\Namespaces;

use Larder\Cache;
use Larder\Contract\Store;
use Larder\Driver\Common\OneByOne;
use Larder\Driver\Memory\ArrayStore;
use Larder\Testing\NamespacesContract;
use PHPUnit\Framework\AssertionFailedError;

/** Namespaces that are put before the keys with what is to tell them apart: NamespacesContract has to notice what does not. */
final class ControlOfNamespaces extends NamespacesContract
{
    private ArrayStore $place;
    private string $separator = '';
    private bool $clearsAll = false;

    public static function separatedBy(string $separator, bool $clearsAll = false): self
    {
        $control = new self('control');
        $control->place = new ArrayStore();
        $control->separator = $separator;
        $control->clearsAll = $clearsAll;

        return $control;
    }

    /** @param 'testEachHasItsOwnValues'|'testClearEmptiesOne'|'testEachHasItsOwnTags' $test */
    public function holds(string $test): bool
    {
        $this->setUp();

        try {
            match ($test) {
                'testEachHasItsOwnValues' => $this->testEachHasItsOwnValues(),
                'testClearEmptiesOne' => $this->testClearEmptiesOne(),
                'testEachHasItsOwnTags' => $this->testEachHasItsOwnTags(),
            };

            return true;
        } catch (AssertionFailedError) {
            return false;
        }
    }

    protected function open(string $namespace): Cache
    {
        return new Cache(new class ($this->place, $namespace . $this->separator, $this->clearsAll) implements Store {
            use OneByOne;

            public function __construct(
                private readonly ArrayStore $place,
                private readonly string $prefix,
                private readonly bool $clearsAll,
            ) {}

            public function get(string $key, mixed $default = null): mixed
            {
                return $this->place->get($this->prefix . $key, $default);
            }

            public function has(string $key): bool
            {
                return $this->place->has($this->prefix . $key);
            }

            public function set(string $key, mixed $value, int|float $ttl = 0): bool
            {
                return $this->place->set($this->prefix . $key, $value, $ttl);
            }

            public function delete(string $key): bool
            {
                return $this->place->delete($this->prefix . $key);
            }

            public function clear(): bool
            {
                foreach ($this->place->keys() as $key) {
                    if ($this->clearsAll || str_starts_with($key, $this->prefix)) {
                        $this->place->delete($key);
                    }
                }

                return true;
            }
        });
    }
}
