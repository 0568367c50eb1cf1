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
    use ComputesOnce;
}
