<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

/** An object with __serialize() but no __unserialize(), so PHP restores it from its properties. */
final class WritesItself
{
    public function __construct(private readonly int $secret) {}

    /** @return array<string, int> */
    public function __serialize(): array
    {
        return ['secret' => $this->secret];
    }
}
