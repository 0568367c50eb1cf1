<?php

declare(strict_types=1);

namespace Larder\Internal\Decorator\Sampling;

/**
 * Approximate bytes of a serialized value, or of a string. Calls no method, and estimates large values from their first
 * parts.
 */
final class ValueSize
{
    /** Parts to look at: some 10 microseconds. */
    private const PARTS = 200;
    private const DEPTH = 100;

    private int $left = self::PARTS;

    private function __construct() {}

    public static function of(mixed $value): int
    {
        return \is_string($value) ? \strlen($value) : (int) (new self())->part($value, self::DEPTH);
    }

    private function part(mixed $value, int $depth): float
    {
        --$this->left;

        return match (true) {
            \is_string($value) => \strlen($value) + 8,
            \is_array($value) => 9 + $this->parts($value, $depth - 1),
            \is_object($value) => 16 + \strlen($value::class) + $this->parts((array) $value, $depth - 1),
            \is_int($value) => 3 + \strlen((string) $value),
            \is_float($value) => 20,
            default => 4,
        };
    }

    /** @param array<array-key, mixed> $parts */
    private function parts(array $parts, int $depth): float
    {
        $bytes = 0.0;
        $seen = 0;
        foreach ($parts as $name => $part) {
            if ($this->left <= 0 || $depth <= 0) {
                break;
            }
            $bytes += (\is_int($name) ? 3 + \strlen((string) $name) : \strlen($name) + 8) + $this->part($part, $depth);
            ++$seen;
        }

        return $seen === 0 ? 0.0 : $bytes * \count($parts) / $seen;
    }
}
