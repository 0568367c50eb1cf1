<?php

declare(strict_types=1);

namespace Larder\Internal\Remember;

use Larder\Internal\Codec\Serialized;
use Larder\Internal\Tag\TaggedValue;
use Larder\Key\Key;

/**
 * A value and what is known of it, kept together as one value of a store:
 *
 *     ["\0larder" => [fresh until, cost, tag versions], 0 => value]
 *     ["\0larder" => [fresh until, cost, tag versions, token], 0 => value]
 *     ["\0larder" => [-2.0, 0.0, [], token], 0 => null]
 *
 * Only values that need it are stored so, and values that have this form themselves, so that none is misread. A token
 * distinguishes equal values. The third form is what Cache::pull() leaves, a miss; a Placeholder is another one.
 */
final class StoredValue
{
    /** The key of this form; no array has it by accident. */
    public const MARK = "\0larder";
    /** Before any time: a Placeholder has it. */
    public const NEVER_FRESH = -1.0;
    private const PULLED = -2.0;

    /**
     * @param float $freshUntil unix time, 0.0 for as long as the store keeps it
     * @param float $cost seconds that it took to compute; 0.0 for not known
     * @param array<array-key, int|string> $tagVersions of its tags when it was computed, by tag
     * @param int $token random; 0 for none
     */
    public function __construct(
        public readonly mixed $value,
        public readonly float $freshUntil = 0.0,
        public readonly float $cost = 0.0,
        public readonly array $tagVersions = [],
        public readonly int $token = 0,
    ) {}

    public static function pulled(): self
    {
        return new self(null, self::PULLED, token: self::newToken());
    }

    /**
     * True for this form. Cache::get() asks in place: it is called for every value.
     *
     * @phpstan-assert-if-true non-empty-array<mixed> $stored
     */
    public static function is(mixed $stored): bool
    {
        return \is_array($stored) && isset($stored[self::MARK]);
    }

    /** The form to store of a value without properties. */
    public static function plain(mixed $value): mixed
    {
        return self::is($value) ? (new self($value))->stored() : $value;
    }

    /** @param array<array-key, int|string> $tagVersions */
    public static function tagging(mixed $value, array $tagVersions): mixed
    {
        return $tagVersions === [] ? self::plain($value) : (new self($value, tagVersions: $tagVersions))->stored();
    }

    /** @return self|null the value in what a store has; null if that is damaged */
    public static function found(mixed $stored): ?self
    {
        return self::is($stored) ? self::of($stored) : new self($stored);
    }

    /** @return self|null null if it does not have this form: programs other than Larder may have written it */
    public static function of(mixed $stored): ?self
    {
        $about = \is_array($stored) ? $stored[self::MARK] ?? null : null;
        if (!\is_array($stored) || !\is_array($about) || !\array_key_exists(0, $stored)) {
            return null;
        }
        [$freshUntil, $cost, $tagVersions, $token] = $about + [null, null, null, 0];
        // Some serializers make integers of floats that are whole.
        if (!(\is_float($freshUntil) || \is_int($freshUntil)) || !(\is_float($cost) || \is_int($cost))
            || !\is_array($tagVersions) || !\is_int($token)) {
            return null;
        }
        foreach ($tagVersions as $tag => $version) {
            if ((!\is_int($version) && !\is_string($version)) || !Key::isValid((string) $tag)) {
                return null;
            }
        }

        /** @var array<array-key, int|string> $tagVersions */
        return new self($stored[0], (float) $freshUntil, (float) $cost, $tagVersions, $token);
    }

    /** @param mixed[] $entry of larder_fetch_entry(), or only its value */
    public static function ofEntry(array $entry, float $now): ?self
    {
        ['value' => $value, 'ttl' => $ttl, 'cost' => $cost] = $entry + ['value' => null, 'ttl' => 0.0, 'cost' => 0.0];
        $found = self::found($value);
        if ($found === null || $found->freshUntil !== 0.0 || !\is_float($ttl) || !\is_float($cost)) {
            return $found;
        }

        return new self($found->value, $ttl === 0.0 ? 0.0 : $now + $ttl, $cost, $found->tagVersions);
    }

    public function tagged(): TaggedValue
    {
        $tags = array_map(strval(...), array_keys($this->tagVersions));

        return new TaggedValue($this->value, $tags, $this->freshUntil, $this->cost);
    }

    /** The same value with a token of its own, so that no computation takes it for the value that was there before. */
    public function marked(): self
    {
        return new self($this->value, $this->freshUntil, $this->cost, $this->tagVersions, self::newToken());
    }

    /** @return array<array-key, mixed> the form that a store keeps */
    public function stored(): array
    {
        // As Serialized::isResource(), which a request need not load.
        $value = $this->value;
        if ($value !== null && !\is_scalar($value) && !\is_array($value) && !\is_object($value)) {
            throw Serialized::refusedResource(); // within an array it would become 0
        }

        $about = [$this->freshUntil, $this->cost, $this->tagVersions];
        if ($this->token !== 0) {
            $about[] = $this->token;
        }

        return [self::MARK => $about, 0 => $this->value];
    }

    /** True for a placeholder, and for the rest of a pulled value. */
    public function isNothing(): bool
    {
        return $this->freshUntil < 0.0;
    }

    /**
     * True if a store still has this value, and not another one that is equal by accident. Without a token, computed
     * values are compared by their times, others by themselves.
     */
    public function isStill(mixed $stored): bool
    {
        $there = self::is($stored) ? self::of($stored) : null;

        if ($there === null || $there->token !== $this->token || $this->token !== 0) {
            return $there?->token === $this->token;
        }

        return $there->freshUntil === $this->freshUntil && $there->cost === $this->cost
            && $there->tagVersions === $this->tagVersions
            && ($this->freshUntil !== 0.0 || serialize($there->value) === serialize($this->value));
    }

    /** @param float $now unix time */
    public function isFresh(float $now): bool
    {
        return $this->freshUntil === 0.0 || $this->freshUntil > $now;
    }

    /** @return int random, not 0 */
    public static function newToken(): int
    {
        return random_int(1, \PHP_INT_MAX);
    }
}
