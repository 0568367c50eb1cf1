<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

/** The classes and enums, without their parents and children, whose objects may be stored and unserialized. */
final class Classes
{
    /** @param array<string, string> $names by their lower case */
    private function __construct(private readonly array $names) {}

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
