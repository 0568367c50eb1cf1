<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

/** An object whose __sleep() may return anything. */
final class Sleepless extends SleeplessParent
{
    public int $own = 1;

    /** @param array<int, string> $names or any other value, which PHP accepts */
    public function __construct(private readonly mixed $names) {}

    /** @return array<int, string> */
    public function __sleep()
    {
        return $this->names;
    }
}
