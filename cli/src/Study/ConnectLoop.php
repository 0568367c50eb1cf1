<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cache;
use Larder\Cli\Compare\WrongResults;
use Larder\Cli\Timing\Work;

/** Opens a cache, reads one key and closes the cache, each time. */
final class ConnectLoop implements Work
{
    /** @var array<int, mixed> what each operation read */
    private array $read = [];

    /** @param mixed $value what is stored under the key */
    public function __construct(
        #[\SensitiveParameter]
        private readonly string $dsn,
        private readonly string $key,
        private readonly mixed $value,
    ) {}

    public function prepare(int $times): void
    {
        $this->read = array_fill(0, $times, null);
    }

    public function runEmpty(int $times): void
    {
        for ($i = 0; $i < $times; ++$i) {
            $this->read[$i] = $this->key;
        }
    }

    public function run(int $times): void
    {
        for ($i = 0; $i < $times; ++$i) {
            $this->read[$i] = Cache::open($this->dsn)->get($this->key);
        }
    }

    public function check(): void
    {
        $problems = [];
        foreach ($this->read as $value) {
            if ($value !== $this->value) {
                $problems[] = $value === null ? 'loses values' : 'changes values';
            }
        }
        WrongResults::throwIfAny($problems);
    }
}
