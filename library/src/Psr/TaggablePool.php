<?php

declare(strict_types=1);

namespace Larder\Psr;

use Cache\TagInterop\TaggableCacheItemPoolInterface;

/**
 * An ItemPool whose items have tags. It needs the package cache/tag-interop. A tag is any string that may be a key.
 */
final class TaggablePool extends ItemPool implements TaggableCacheItemPoolInterface
{
    public function getItem(string $key): TaggableItem
    {
        Keys::check($key);
        $found = $this->deferred->has($key) ? $this->deferred->tagged($key) : $this->cache->getManyWithTags([$key])[$key] ?? null;

        return new TaggableItem($key, $found, $this->clock);
    }

    /**
     * @param array<mixed> $keys strings
     * @return Pairs<TaggableItem> an item for every key, in the order asked
     */
    public function getItems(array $keys = []): Pairs
    {
        $keys = Keys::list($keys);
        $stored = $this->cache->getManyWithTags(array_filter($keys, fn(string $key): bool => !$this->deferred->has($key)));
        $items = [];
        foreach ($keys as $key) {
            $items[$key] = new TaggableItem($key, $this->deferred->has($key) ? $this->deferred->tagged($key) : $stored[$key] ?? null, $this->clock);
        }

        return new Pairs($items);
    }

    /** @throws InvalidArgument as invalidateTags() */
    public function invalidateTag(string $tag): bool
    {
        return $this->invalidateTags([$tag]);
    }

    /**
     * Makes every item with one of these tags a miss. Deferred items are committed before.
     *
     * @param array<mixed> $tags strings
     * @return bool false when the store, or one of its servers, could not be reached, or refused a deferred item
     * @throws InvalidArgument before anything changes
     */
    public function invalidateTags(array $tags): bool
    {
        $tags = Keys::list($tags);
        $isCommitted = $this->commitOwn();

        return $this->cache->invalidateTags($tags) && $isCommitted;
    }
}
