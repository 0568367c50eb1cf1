<?php

declare(strict_types=1);

namespace Larder\Tests\Codec;

/** An object that PHP reads by its properties, though it writes them itself. */
final class WritesItself
{
    public function __construct(private readonly int $secret) {}

    /** @return array<string, int> */
    public function __serialize(): array
    {
        return ['secret' => $this->secret];
    }
}
