<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Compare\Value;
use Larder\Cli\Compare\WrongResults;
use Larder\Cli\Timing\Work;
use Larder\Contract\Store;

/** Writes one key and reads it back, each time with another value. */
final class SetThenGetLoop implements Work
{
    /** @var list<mixed> the value of each operation */
    private array $values = [];

    /** @var list<mixed> what each operation read */
    private array $read = [];

    private int $variant = 0;

    public function __construct(
        private readonly Store $store,
        private readonly string $key,
        private readonly Value $value,
    ) {}

    public function prepare(int $times): void
    {
        $this->values = $this->read = [];
        for ($i = 0; $i < $times; ++$i) {
            $this->values[] = $this->value->make(++$this->variant);
            $this->read[] = null;
        }
    }

    public function runEmpty(int $times): void
    {
        $read = &$this->read;
        foreach ($this->values as $i => $value) {
            $read[$i] = $i;
        }
    }

    public function run(int $times): void
    {
        $store = $this->store;
        $key = $this->key;
        $read = &$this->read;
        foreach ($this->values as $i => $value) {
            $read[$i] = $store->set($key, $value) ? $store->get($key) : null;
        }
    }

    public function check(): void
    {
        $problems = [];
        foreach ($this->values as $i => $value) {
            if ($this->read[$i] !== $value) {
                $problems[] = $this->read[$i] === null ? 'loses or refuses values' : 'changes values';
            }
        }
        WrongResults::throwIfAny($problems);
    }
}
