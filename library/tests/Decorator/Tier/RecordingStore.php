<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator\Tier;

use Larder\Contract\Store;
use Larder\Decorator\TransparentDecorator;
use Larder\Driver\Memory\ArrayStore;
use Larder\Internal\Key\ReservedKey;

/** A shared tier in this process that records its reads and calls a hook at chosen moments. */
final class RecordingStore extends TransparentDecorator
{
    /** @var list<list<string>> */
    private array $reads = [];

    /** Number of polls of the newest change. */
    public int $polls = 0;

    /** Called once, after a value is read and before it is returned. */
    public ?\Closure $afterRead = null;

    /** Called once, after a value is written and before the change is logged. */
    public ?\Closure $afterWrite = null;

    /** Called once, before the newest change is returned. */
    public ?\Closure $beforePoll = null;

    /** Called once, after a clear. */
    public ?\Closure $afterClear = null;

    /** Called once, before a value is added or replaced by comparison. */
    public ?\Closure $beforeSwap = null;

    public function __construct(private readonly ArrayStore $store = new ArrayStore()) {}

    /** @return list<list<string>> the keys of each read of values since the last call */
    public function reads(): array
    {
        [$reads, $this->reads] = [$this->reads, []];

        return $reads;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        if ($key === ReservedKey::changes()) {
            ++$this->polls;
            [$hook, $this->beforePoll] = [$this->beforePoll, null];
            $hook === null ? null : $hook();
        }

        return $this->store->get($key, $default);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $isSet = $this->store->set($key, $value, $ttl);
        [$hook, $this->afterWrite] = [$this->afterWrite, null];
        $hook === null ? null : $hook();

        return $isSet;
    }

    public function clear(): bool
    {
        $isCleared = $this->store->clear();
        [$hook, $this->afterClear] = [$this->afterClear, null];
        $hook === null ? null : $hook();

        return $isCleared;
    }

    public function add(string $key, mixed $value, int|float $ttl = 0): bool
    {
        [$hook, $this->beforeSwap] = [$this->beforeSwap, null];
        $hook === null ? null : $hook();

        return parent::add($key, $value, $ttl);
    }

    public function setIf(string $key, \Closure $isExpected, mixed $value, int|float $ttl = 0): bool
    {
        [$hook, $this->beforeSwap] = [$this->beforeSwap, null];
        $hook === null ? null : $hook();

        return parent::setIf($key, $isExpected, $value, $ttl);
    }

    public function entries(array $keys): array
    {
        $this->reads[] = $keys;
        $entries = $this->store->entries($keys);
        [$hook, $this->afterRead] = [$this->afterRead, null];
        $hook === null ? null : $hook();

        return $entries;
    }

    public function decorated(): Store
    {
        return $this->store;
    }
}
