<?php

declare(strict_types=1);

/** Leaves out keys of other types: since version 3 of PSR-6 and PSR-16, PHP itself refuses or converts them. */
trait KeysAreStrings
{
    /** @return list<array{string}> */
    public static function invalidKeys(): array
    {
        return array_values(array_filter(parent::invalidKeys(), static fn(array $arguments): bool => is_string($arguments[0])));
    }
}
