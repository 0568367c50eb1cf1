<?php

declare(strict_types=1);

namespace Larder\Internal\Tag;

/** A value and what was stored with it, from Cache::getManyWithTags() and Computation::$previous. */
final class TaggedValue
{
    /**
     * @param list<string> $tags each once
     * @param float $freshUntil unix time, of a value from remember(); 0.0 for no expiry, and for any other value
     * @param float $cost seconds that remember() took to compute it; 0.0 if that is not known
     */
    public function __construct(
        public readonly mixed $value,
        public readonly array $tags = [],
        public readonly float $freshUntil = 0.0,
        public readonly float $cost = 0.0,
    ) {}
}
