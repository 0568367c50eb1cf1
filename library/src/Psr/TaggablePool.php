<?php

declare(strict_types=1);

namespace Larder\Psr;

use Cache\TagInterop\TaggableCacheItemPoolInterface;
use Larder\Internal\Psr\Keys;
use Larder\Internal\Psr\Pairs;

/** An ItemPool whose items have tags: strings that may be keys. It needs the package cache/tag-interop. */
final class TaggablePool extends ItemPool implements TaggableCacheItemPoolInterface
{
    public function getItem(string $key): TaggableItem
    {
        Keys::check($key);
        $found = $this->isDeferred($key)
            ? $this->deferred?->tagged($key)
            : $this->cache->getManyWithTags([$key])[$key] ?? null;

        return new TaggableItem($key, $found, $this->clock);
    }

    /**
     * @param array<mixed> $keys strings
     * @return Pairs<TaggableItem> an item for every key, in the order asked
     */
    public function getItems(array $keys = []): iterable
    {
        $keys = Keys::list($keys);
        $stored = $this->cache->getManyWithTags($this->withoutDeferred($keys));
        $items = [];
        foreach ($keys as $key) {
            $found = $this->isDeferred($key) ? $this->deferred?->tagged($key) : $stored[$key] ?? null;
            $items[$key] = new TaggableItem($key, $found, $this->clock);
        }

        return new Pairs($items);
    }

    /** @throws InvalidArgument as invalidateTags() */
    public function invalidateTag(string $tag): bool
    {
        return $this->invalidateTags([$tag]);
    }

    /**
     * Commits deferred items, and makes every item with one of these tags a miss.
     *
     * @param array<mixed> $tags strings
     * @return bool false if the store, or one of its servers, is unreachable, or refused a deferred item
     * @throws InvalidArgument before anything changes
     */
    public function invalidateTags(array $tags): bool
    {
        $tags = Keys::list($tags);
        $isCommitted = $this->commitOwn();

        return $this->cache->invalidateTags($tags) && $isCommitted;
    }
}
