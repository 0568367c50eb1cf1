<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

use Larder\WordPress\Backend;

/** A store that fails to read one name, or to write any. */
final class Refusing extends Backend
{
    public string $name = '';
    public bool $isReadOnly = false;

    public function __construct(private readonly Backend $backend) {}

    public function identity(): string
    {
        return $this->backend->identity();
    }

    public function title(): string
    {
        return $this->backend->title();
    }

    public function get(string $name, mixed $default = null): mixed
    {
        return $name === $this->name ? $default : $this->backend->get($name, $default);
    }

    public function getMany(array $names): array
    {
        return array_diff_key($this->backend->getMany($names), [$this->name => true]);
    }

    public function set(string $name, mixed $value, int|float $ttl = 0): bool
    {
        return !$this->isReadOnly && $this->backend->set($name, $value, $ttl);
    }

    public function add(string $name, mixed $value, int|float $ttl = 0): bool
    {
        return $this->backend->add($name, $value, $ttl);
    }

    public function delete(string $name): bool
    {
        return !$this->isReadOnly && $this->backend->delete($name);
    }

    public function swap(string $name, int $old, int $new): bool
    {
        return $this->backend->swap($name, $old, $new);
    }
}
