<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Sqlite\Hostile;

/** A class whose object an attacker would like to create. */
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
