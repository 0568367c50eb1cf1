<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Compare;

/** Returns correct values. */
final class HonestStore extends LyingStore
{
    protected function lie(mixed $value): mixed
    {
        return $value;
    }
}
