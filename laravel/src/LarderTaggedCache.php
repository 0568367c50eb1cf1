<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\Events\CacheFlushed;
use Illuminate\Cache\Events\CacheFlushFailed;
use Illuminate\Cache\Events\CacheFlushing;
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

    /** @return bool false if a server is unreachable: it may serve the values when it is back */
    public function flush(): bool
    {
        /** @var LarderCacheStore $store */
        $store = $this->store;
        $this->event(new CacheFlushing($this->getName()));
        $isFlushed = $store->invalidate(...$this->tags->getNames());
        $this->event($isFlushed ? new CacheFlushed($this->getName()) : new CacheFlushFailed($this->getName()));

        return $isFlushed;
    }
}
