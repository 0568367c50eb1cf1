<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Sqlite\Hostile;

/** An object of which an attacker would have one made. */
final class Bomb
{
    public static bool $exploded = false;

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        self::$exploded = true;
    }

    /** @return array{} */
    public function __serialize(): array
    {
        return [];
    }
}
