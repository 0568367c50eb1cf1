<?php

declare(strict_types=1);

namespace Larder;

/**
 * A value and what is known of it, kept together as one value of a store:
 *
 *     ["\0larder" => [fresh until, cost, generations], 0 => value]
 *
 * Only what needs it is stored so; a value whose own form is this is wrapped too, so that nothing is misread.
 */
final class Wrapped
{
    /** The key that tells this form; no array has it by accident. */
    public const MARK = "\0larder";

    /**
     * @param float $freshUntil unix time, 0.0 for as long as the store keeps it
     * @param float $cost seconds that it took to compute; 0.0 for not known
     * @param array<array-key, int|string> $generations of its tags when it was computed, by tag
     */
    public function __construct(
        public readonly mixed $value,
        public readonly float $freshUntil = 0.0,
        public readonly float $cost = 0.0,
        public readonly array $generations = [],
    ) {}

    /**
     * Whether what a store keeps, or is to keep, has this form. Cache::get() asks the same in place: it is called for
     * every value.
     *
     * @phpstan-assert-if-true non-empty-array<mixed> $stored
     */
    public static function is(mixed $stored): bool
    {
        return \is_array($stored) && isset($stored[self::MARK]);
    }

    /** What a store is to keep for a value about which nothing is known. */
    public static function plain(mixed $value): mixed
    {
        return self::is($value) ? (new self($value))->stored() : $value;
    }

    /** @return self|null null when this is not the form, as others than Larder may have written it */
    public static function of(mixed $stored): ?self
    {
        $about = \is_array($stored) ? $stored[self::MARK] ?? null : null;
        if (!\is_array($stored) || !\is_array($about) || !\array_key_exists(0, $stored)) {
            return null;
        }
        [$freshUntil, $cost, $generations] = [$about[0] ?? null, $about[1] ?? null, $about[2] ?? null];
        // Some serializers make integers of floats that are whole.
        if (!(\is_float($freshUntil) || \is_int($freshUntil)) || !(\is_float($cost) || \is_int($cost)) || !\is_array($generations)) {
            return null;
        }
        foreach ($generations as $generation) {
            if (!\is_int($generation) && !\is_string($generation)) {
                return null;
            }
        }

        /** @var array<array-key, int|string> $generations */
        return new self($stored[0], (float) $freshUntil, (float) $cost, $generations);
    }

    /** @return array<array-key, mixed> the form that a store keeps */
    public function stored(): array
    {
        return [self::MARK => [$this->freshUntil, $this->cost, $this->generations], 0 => $this->value];
    }

    /** @param float $now unix time */
    public function isFresh(float $now): bool
    {
        return $this->freshUntil === 0.0 || $this->freshUntil > $now;
    }
}
