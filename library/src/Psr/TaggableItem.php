<?php

declare(strict_types=1);

namespace Larder\Psr;

use Cache\TagInterop\TaggableCacheItemInterface;
use Larder\Internal\Psr\Keys;
use Larder\Internal\Tag\TaggedValue;
use Psr\Clock\ClockInterface;

/** An item of a TaggablePool. It is saved with the tags of setTags(), and without that call with none. */
final class TaggableItem extends Item implements TaggableCacheItemInterface
{
    /** @var list<string> */
    private array $tags = [];

    /** @var list<string> */
    private readonly array $previousTags;

    /** @internal items come from a pool */
    public function __construct(string $key, ?TaggedValue $found, ?ClockInterface $clock)
    {
        parent::__construct($key, $found?->value, $found !== null, $clock);
        $this->previousTags = $found->tags ?? [];
    }

    /** @return array<string, string> the tags of the value in the pool, by themselves; none after a miss */
    public function getPreviousTags(): array
    {
        return array_combine($this->previousTags, $this->previousTags);
    }

    /**
     * @param array<mixed> $tags strings, as keys are; duplicates count once
     * @throws InvalidArgument before anything changes
     */
    public function setTags(array $tags): static
    {
        $this->tags = array_values(array_unique(Keys::list($tags)));

        return $this;
    }

    public function tags(): array
    {
        return $this->tags;
    }
}
