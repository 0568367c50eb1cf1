<?php

declare(strict_types=1);

namespace Larder\Tests\Tag;

use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;
use Larder\Driver\Memory\ArrayStore;
use Larder\Internal\Key\ReservedKey;

/** A control: it loses tag versions, and then returns the last known one, or 1 like a counter that starts again. */
final class ForgetfulStore extends TransparentDecorator
{
    /** @var array<array-key, mixed> */
    private array $known = [];
    private readonly ArrayStore $store;

    public function __construct(private readonly bool $countsFromOne)
    {
        $this->store = new ArrayStore();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        return ReservedKey::is($key) ? $this->known[$key] ?? $default : $this->store->get($key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return array_combine($keys, array_map(fn(string $key): mixed => $this->get($key, $default), $keys));
    }

    public function has(string $key): bool
    {
        return $this->get($key, $this) !== $this;
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $this->known[$key] ??= $this->countsFromOne ? 1 : $value;

        return false;
    }

    public function delete(string $key): bool
    {
        if ($this->countsFromOne) {
            unset($this->known[$key]);
        }

        return $this->store->delete($key);
    }

    public function deleteMany(array $keys): bool
    {
        return !\in_array(false, array_map($this->delete(...), $keys), true);
    }

    public function decorated(): Store
    {
        return $this->store;
    }
}
