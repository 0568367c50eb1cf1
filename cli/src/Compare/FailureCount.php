<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** Counts what a store did wrong, and remembers the first of it. */
final class FailureCount
{
    public int $failures = 0;
    public string $problem = '';

    public function add(string $problem): void
    {
        if ($this->failures++ === 0) {
            $this->problem = $problem;
        }
    }
}
