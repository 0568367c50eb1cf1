<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

abstract class SleeplessParent
{
    private int $secret = 1;

    public function secret(): int
    {
        return $this->secret;
    }
}
