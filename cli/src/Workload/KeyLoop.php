<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\WrongResults;
use Larder\Cli\Timing\Work;
use Larder\Contract\Store;
use Psr\SimpleCache\CacheInterface;

/**
 * Gets or sets of one key, of a store or of a library's cache. Values that were read are compared in serialized form,
 * because an object is equal to the stored one but not identical.
 */
final class KeyLoop implements Work
{
    private const KEY = 'object';

    /** @var list<mixed> */
    private array $values = [];

    /** @var array<int, mixed> what each operation returned */
    private array $returned = [];

    private int $made = 0;

    /** @param \Closure(int): mixed $make */
    public function __construct(
        private readonly Store|CacheInterface $store,
        private readonly bool $isSet,
        private readonly \Closure $make,
    ) {
        if (!$isSet && !$store->set(self::KEY, $make(0))) {
            WrongResults::throwIfAny(['refuses values']);
        }
    }

    public function prepare(int $times): void
    {
        $this->returned = array_fill(0, $times, null);
        $this->values = [];
        for ($i = 0; $i < $times && $this->isSet; ++$i) {
            $this->values[] = ($this->make)(++$this->made);
        }
    }

    public function runEmpty(int $times): void
    {
        $returned = &$this->returned;
        for ($i = 0; $i < $times; ++$i) {
            $returned[$i] = $i;
        }
    }

    public function run(int $times): void
    {
        $store = $this->store;
        $values = $this->values;
        $returned = &$this->returned;
        if ($this->isSet) {
            for ($i = 0; $i < $times; ++$i) {
                $returned[$i] = $store->set(self::KEY, $values[$i]);
            }
        } else {
            for ($i = 0; $i < $times; ++$i) {
                $returned[$i] = $store->get(self::KEY);
            }
        }
    }

    public function check(): void
    {
        $problems = [];
        $wanted = $this->isSet ? true : ($this->make)(0);
        foreach ($this->returned as $value) {
            if (serialize($value) !== serialize($wanted)) {
                $problems[] = match (true) {
                    $this->isSet => 'refuses values',
                    $value === null => 'loses values',
                    default => 'changes values',
                };
            }
        }
        if ($this->isSet) {
            // As in SetLoop: this read must not hold the engine's memory to the end of the process.
            ini_set('larder.zero_copy', '0');
            if (
                serialize($this->store->get(self::KEY)) !== serialize($this->values[\count($this->values) - 1] ?? null)
            ) {
                $problems[] = 'changes values';
            }
            ini_restore('larder.zero_copy');
        }
        $this->returned = [];
        WrongResults::throwIfAny($problems);
    }
}
