<?php

declare(strict_types=1);

namespace Larder\Remember;

use Larder\Codec\Serialized;
use Larder\Key\Key;
use Larder\Lock\LockOwner;
use Larder\Tag\TaggedValue;

/**
 * A value and what is known of it, kept together as one value of a store:
 *
 *     ["\0larder" => [fresh until, cost, tag versions], 0 => value]
 *     ["\0larder" => [-1.0, 0.0, [], token, failed, process], 0 => null]
 *     ["\0larder" => [-2.0, 0.0, [], token, 0, 0], 0 => null]
 *
 * Only what needs it is stored so; a value whose own form is this is wrapped too, so that nothing is misread. The second
 * form is a placeholder: it stands where a value is being computed, every get() takes it for a miss, and it is gone when
 * somebody has written or deleted there meanwhile. Its token tells it from others, and "failed" is the token of the one
 * before it, of which the computation stored nothing. The process is LockOwner::number() of the one that computes, or 0. A value
 * may have a token too. The third form is what Cache::pull() leaves, a miss as well.
 */
final class StoredValue
{
    /** The key that tells this form; no array has it by accident. */
    public const MARK = "\0larder";
    /** Before any time. */
    private const NEVER_FRESH = -1.0;
    private const PULLED = -2.0;

    /**
     * @param float $freshUntil unix time, 0.0 for as long as the store keeps it
     * @param float $cost seconds that it took to compute; 0.0 for not known
     * @param array<array-key, int|string> $tagVersions of its tags when it was computed, by tag
     * @param int $token random; 0 for none. An integer, as opcache keeps each new string of a php-file
     * @param int $failed the token of the placeholder that was here before; 0 for none
     * @param int $process which computes; 0 for none
     */
    public function __construct(
        public readonly mixed $value,
        public readonly float $freshUntil = 0.0,
        public readonly float $cost = 0.0,
        public readonly array $tagVersions = [],
        public readonly int $token = 0,
        public readonly int $failed = 0,
        public readonly int $process = 0,
    ) {}

    /** Of a computation that begins in this process. */
    public static function placeholder(): self
    {
        return new self(null, self::NEVER_FRESH, token: self::newToken(), process: LockOwner::number());
    }

    /** What comes in the place of a value that was pulled. */
    public static function pulled(): self
    {
        return new self(null, self::PULLED, token: self::newToken());
    }

    /** This placeholder for a computation of this process too. */
    public function shared(): self
    {
        return new self(null, self::NEVER_FRESH, token: $this->token, failed: $this->failed, process: LockOwner::number());
    }

    /** What comes in the place of this placeholder when its computation stored nothing. */
    public function failure(): self
    {
        return new self(null, self::NEVER_FRESH, token: self::newToken(), failed: $this->token);
    }

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
        [$freshUntil, $cost, $tagVersions] = [$about[0] ?? null, $about[1] ?? null, $about[2] ?? null];
        [$token, $failed, $process] = [$about[3] ?? 0, $about[4] ?? 0, $about[5] ?? 0];
        // Some serializers make integers of floats that are whole.
        if (!(\is_float($freshUntil) || \is_int($freshUntil)) || !(\is_float($cost) || \is_int($cost)) || !\is_array($tagVersions) || !\is_int($token) || !\is_int($failed) || !\is_int($process)) {
            return null;
        }
        foreach ($tagVersions as $tag => $version) {
            if ((!\is_int($version) && !\is_string($version)) || $tag === '' || \strlen((string) $tag) > Key::MAX_LENGTH) {
                return null;
            }
        }

        /** @var array<array-key, int|string> $tagVersions */
        return new self($stored[0], (float) $freshUntil, (float) $cost, $tagVersions, $token, $failed, $process);
    }

    public function tagged(): TaggedValue
    {
        return new TaggedValue($this->value, array_map(strval(...), array_keys($this->tagVersions)), $this->freshUntil, $this->cost);
    }

    /** The same value with a token of its own, so that nobody takes it for what was there before. */
    public function marked(): self
    {
        return new self($this->value, $this->freshUntil, $this->cost, $this->tagVersions, self::newToken());
    }

    /**
     * @return array<array-key, mixed> the form that a store keeps
     * @throws \Exception for a resource
     */
    public function stored(): array
    {
        if (Serialized::isResource($this->value)) {
            throw Serialized::refusedResource(); // which within an array would be 0
        }

        $about = [$this->freshUntil, $this->cost, $this->tagVersions];
        if ($this->token !== 0) {
            array_push($about, $this->token, $this->failed, $this->process);
        }

        return [self::MARK => $about, 0 => $this->value];
    }

    public function isPlaceholder(): bool
    {
        return $this->freshUntil === self::NEVER_FRESH;
    }

    /** Whether it never was a value: a placeholder, or what comes in the place of a pulled one. */
    public function isNothing(): bool
    {
        return $this->freshUntil < 0.0;
    }

    /**
     * Whether what a store keeps is still this, and not another value that is equal by accident: without a token, by the
     * moments of a value that was computed. Two of which nothing but tags is known are not told apart.
     */
    public function isStill(mixed $stored): bool
    {
        $there = self::is($stored) ? self::of($stored) : null;

        return $there !== null && $there->token === $this->token
            && ($this->token !== 0 || ($there->freshUntil === $this->freshUntil && $there->cost === $this->cost && $there->tagVersions === $this->tagVersions));
    }

    /** Whether nothing has come in its place but the word that a computation stored nothing. */
    public function isFollowedBy(mixed $stored): bool
    {
        $there = self::is($stored) ? self::of($stored) : null;

        return $there !== null && $there->failed !== 0 && $there->failed === $this->token;
    }

    /** @param float $now unix time */
    public function isFresh(float $now): bool
    {
        return $this->freshUntil === 0.0 || $this->freshUntil > $now;
    }

    private static function newToken(): int
    {
        return random_int(1, \PHP_INT_MAX);
    }
}
