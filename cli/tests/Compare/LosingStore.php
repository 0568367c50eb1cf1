<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

/** Loses one value in a thousand reads. */
final class LosingStore extends LyingStore
{
    protected function lie(mixed $value): mixed
    {
        return $this->reads % 1000 === 999 ? null : $value;
    }
}
