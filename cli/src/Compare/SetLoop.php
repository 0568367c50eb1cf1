<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Timing\Work;
use Larder\Contract\Store;

/**
 * Writes some keys in turn, each time a value that was just created, as a program does after a computation. After a
 * batch, each key must hold the last value written to it.
 */
final class SetLoop implements Work
{
    /** @var list<string> the key of each operation */
    private array $batch = [];

    /** @var list<mixed> the value of each operation */
    private array $values = [];

    /** @var list<mixed> what each operation returned */
    private array $returned = [];

    private int $variant = 0;

    /** @param non-empty-list<string> $keys */
    public function __construct(
        private readonly Store $store,
        private readonly array $keys,
        private readonly Value $value,
    ) {}

    public function prepare(int $times): void
    {
        if (\count($this->batch) !== $times) {
            $this->returned = array_fill(0, $times, null);
            $this->batch = [];
            for ($i = 0; $i < $times; ++$i) {
                $this->batch[] = $this->keys[$i % \count($this->keys)];
            }
        }
        $values = [];
        for ($i = 0; $i < $times; ++$i) {
            $values[] = $this->value->make(++$this->variant);
        }
        $this->values = $values;
    }

    /** Reads each value and keeps a bool, as run() does: releasing a value here would count as part of a set. */
    public function runEmpty(int $times): void
    {
        $values = $this->values;
        $returned = &$this->returned;
        foreach ($this->batch as $i => $key) {
            $returned[$i] = $values[$i] !== null;
        }
    }

    public function run(int $times): void
    {
        $store = $this->store;
        $values = $this->values;
        $returned = &$this->returned;
        foreach ($this->batch as $i => $key) {
            $returned[$i] = $store->set($key, $values[$i]);
        }
    }

    public function check(): void
    {
        $last = $problems = [];
        foreach ($this->batch as $i => $key) {
            $last[$key] = $i;
            if ($this->returned[$i] !== true) {
                $problems[] = 'refuses values';
            }
        }
        // This read is not part of the measured program. A zero-copy read would hold the engine's memory to the end of
        // the process, and the next sets would all go to memory that was never used.
        ini_set('larder.zero_copy', '0');
        foreach ($last as $key => $i) {
            $value = $this->store->get($key);
            if ($value !== $this->values[$i]) {
                $problems[] = $value === null ? 'loses values' : 'changes values';
            }
        }
        ini_restore('larder.zero_copy');
        WrongResults::throwIfAny($problems);
    }
}
