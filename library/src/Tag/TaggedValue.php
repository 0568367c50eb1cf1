<?php

declare(strict_types=1);

namespace Larder\Tag;

/** A value and the tags that it was stored with, from Cache::getManyWithTags(). */
final class TaggedValue
{
    /** @param list<string> $tags each once */
    public function __construct(public readonly mixed $value, public readonly array $tags = []) {}
}
