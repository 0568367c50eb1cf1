<?php

declare(strict_types=1);

namespace Larder\Internal\Psr;

use Larder\Driver\Memory\ArrayStore;
use Larder\Internal\Tag\TaggedValue;
use Larder\Process\Pid;
use Larder\Psr\InvalidArgument;
use Larder\Psr\Item;

/** Items that wait to be saved: copies, which do not change with the caller's items and objects. */
final class Deferred
{
    private readonly ArrayStore $values;

    /** @var array<array-key, Expiry|null> of every item, null for no expiry */
    private array $expiries = [];

    /** @var array<array-key, list<string>> of every item */
    private array $tags = [];

    private readonly int $process;

    public function __construct()
    {
        $this->values = new ArrayStore();
        $this->process = Pid::own();
    }

    /** False in a child that was forked since. */
    public function isOfThisProcess(): bool
    {
        return $this->process === Pid::own();
    }

    /** @throws InvalidArgument for a value that PHP cannot serialize */
    public function add(Item $item): void
    {
        try {
            $this->values->set($item->getKey(), $item->get());
        } catch (\Throwable $thrown) {
            throw InvalidArgument::forValue($item->getKey(), $thrown);
        }
        $this->expiries[$item->getKey()] = $item->expiry();
        $this->tags[$item->getKey()] = $item->tags();
    }

    public function remove(string $key): void
    {
        $this->values->delete($key);
        unset($this->expiries[$key], $this->tags[$key]);
    }

    /** True also if it has expired since: then get() returns the default, whatever is stored. */
    public function has(string $key): bool
    {
        return \array_key_exists($key, $this->expiries);
    }

    public function get(string $key, mixed $default): mixed
    {
        return $this->expiries[$key]?->isOver() === true ? $default : $this->values->get($key, $default);
    }

    /** @return TaggedValue|null null if it has expired, or there is none */
    public function tagged(string $key): ?TaggedValue
    {
        $value = $this->get($key, $this);

        return $value === $this ? null : new TaggedValue($value, $this->tags[$key]);
    }

    /** @return list<array{float|null, list<string>, non-empty-array<array-key, mixed>}> seconds left, tags, values */
    public function groups(): array
    {
        $groups = [];
        foreach ($this->expiries as $key => $expiry) {
            $value = $this->values->get((string) $key, $this);
            $isReadable = $value !== $this; // else it has expired: a miss, as if it had been saved
            $group = $isReadable ? serialize([$expiry?->at, $this->tags[$key]]) : '';
            $groups[$group] ??= [$isReadable ? $expiry?->left() : 0.0, $this->tags[$key], []];
            $groups[$group][2][$key] = $value;
        }

        return array_values($groups);
    }
}
