<?php

declare(strict_types=1);

use Larder\Polyfill\Memory;

/**
 * The extension's, over the array of this process.
 *
 * @implements Iterator<string, mixed[]>
 */
final class LarderIterator implements Iterator
{
    /** @var list<string>|null null before it has started */
    private ?array $keys = null;
    private int $at = 0;

    public function __construct(private string $prefix = '') {}

    private function __clone() {}

    /** @return never */
    public function __serialize(): array
    {
        throw new Exception("Serialization of 'LarderIterator' is not allowed");
    }

    /** @param mixed[] $data */
    public function __unserialize(array $data): void
    {
        throw new Exception("Unserialization of 'LarderIterator' is not allowed");
    }

    public function __set(string $name, mixed $value): void
    {
        throw new Error("Cannot create dynamic property LarderIterator::\$$name");
    }

    /** @return mixed[]|null */
    public function current(): ?array
    {
        $key = $this->key();

        return $key === null ? null : Memory::ofThisProcess()->describe($key);
    }

    public function key(): ?string
    {
        if ($this->keys === null) {
            $this->rewind();
        }
        // What was deleted since it started is passed over.
        while (isset($this->keys[$this->at]) && !Memory::ofThisProcess()->has($this->keys[$this->at])) {
            ++$this->at;
        }

        return $this->keys[$this->at] ?? null;
    }

    public function next(): void
    {
        if ($this->key() !== null) {
            ++$this->at;
        }
    }

    public function rewind(): void
    {
        $this->keys = Memory::ofThisProcess()->keys($this->prefix);
        $this->at = 0;
    }

    public function valid(): bool
    {
        return $this->key() !== null;
    }
}
