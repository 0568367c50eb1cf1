<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\TaggedCache;

/**
 * A value has one key for its list of tags, as in Laravel's Redis store, and the versions of the tags: a flush makes
 * it a miss, and no list of keys grows.
 */
final class LarderTaggedCache extends TaggedCache
{
    use ReadsLarder;

    private ?string $namespace = null;

    /** @param string $key */
    public function taggedItemKey($key): string
    {
        return ($this->namespace ??= sha1($this->tags->getNamespace())) . ":$key"; // Larder keeps the tags' versions
    }
}
