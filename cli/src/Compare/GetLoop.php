<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Timing\Work;
use Larder\Contract\Store;

/**
 * Reads some keys in turn. Values are kept until check(), and the next batch overwrites them. So releasing a value is
 * part of a get, as in a program that reads one value after the other.
 */
final class GetLoop implements Work
{
    /** @var list<string> the key of each operation */
    private array $batch = [];

    /** @var list<mixed> what each operation read */
    private array $read = [];

    /** @var list<mixed> replaces $read in the empty loop */
    private array $unread = [];

    /**
     * @param non-empty-list<string> $keys
     * @param non-empty-list<mixed> $values the stored values
     */
    public function __construct(
        private readonly Store $store,
        private readonly array $keys,
        private readonly array $values,
    ) {}

    public function prepare(int $times): void
    {
        if (\count($this->batch) !== $times) {
            $this->read = $this->unread = array_fill(0, $times, null);
            $this->batch = [];
            for ($i = 0; $i < $times; ++$i) {
                $this->batch[] = $this->keys[$i % \count($this->keys)];
            }
        }
    }

    public function runEmpty(int $times): void
    {
        $read = &$this->unread;
        foreach ($this->batch as $i => $key) {
            $read[$i] = $key;
        }
    }

    public function run(int $times): void
    {
        $store = $this->store;
        $read = &$this->read;
        foreach ($this->batch as $i => $key) {
            $read[$i] = $store->get($key);
        }
    }

    public function check(): void
    {
        $keys = \count($this->keys);
        $right = $this->values;
        $problems = [];
        foreach ($this->read as $i => $value) {
            if ($value === $right[$i % $keys]) {
                // If a store returns the very same value again, not a copy, the next comparison is fast.
                $right[$i % $keys] = $value;
            } else {
                $problems[] = $value === null ? 'loses values' : 'changes values';
            }
        }
        WrongResults::throwIfAny($problems);
    }
}
