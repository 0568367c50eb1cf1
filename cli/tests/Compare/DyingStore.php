<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

/** Kills its process at the second read. */
final class DyingStore extends LyingStore
{
    protected function lie(mixed $value): mixed
    {
        if ($this->reads > 1) {
            fwrite(\STDERR, "no more\n");
            exit(9);
        }

        return $value;
    }
}
