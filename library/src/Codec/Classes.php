<?php

declare(strict_types=1);

namespace Larder\Codec;

/** The classes and enums whose objects may be stored, and made of stored bytes; their parents and children are not among them. */
final class Classes
{
    /** @param array<string, string> $names by their lower case */
    private function __construct(private readonly array $names) {}

    /** No objects at all. */
    public static function none(): self
    {
        return new self([]);
    }

    public static function only(string ...$names): self
    {
        $names = array_map(static fn(string $name): string => ltrim($name, '\\'), $names);

        return new self(array_combine(array_map(strtolower(...), $names), $names));
    }

    /** @return string|null the first class in the bytes of serialize() that is not allowed */
    public function notAllowedIn(string $bytes): ?string
    {
        foreach (Serialized::classes($bytes) as $class) {
            if (!isset($this->names[strtolower(ltrim($class, '\\'))])) {
                return $class;
            }
        }

        return null;
    }

    /** @return list<string>|false as unserialize() takes them */
    public function forUnserialize(): array|false
    {
        return $this->names === [] ? false : array_values($this->names);
    }
}
