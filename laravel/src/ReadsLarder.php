<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\Events\CacheHit;
use Illuminate\Cache\Events\CacheMissed;
use Illuminate\Cache\Events\KeyWritten;
use Illuminate\Cache\Events\RetrievingKey;
use Illuminate\Cache\Events\WritingKey;
use Illuminate\Events\Dispatcher;
use Larder\Remember\Computation;

use function Illuminate\Support\enum_value;

/**
 * How a repository reads. One process computes a missing value, the others wait for its result. A value that was put,
 * forgotten or flushed meanwhile, by a tag too, wins over the result.
 */
trait ReadsLarder
{
    /** @param mixed $key */
    public function get($key, mixed $default = null): mixed
    {
        if (!\is_string($key) || $this->areReadsHeard()) {
            return parent::get($key, $default);
        }
        $value = $this->store->get($this->itemKey($key));
        if ($value instanceof \__PHP_Incomplete_Class) {
            return parent::get($key, $default); // which calls the handler of such classes
        }

        return $value ?? ($default instanceof \Closure ? $default() : $default);
    }

    /**
     * @param \UnitEnum|string $key
     * @param \Closure|\DateTimeInterface|\DateInterval|int|null $ttl
     */
    public function remember($key, $ttl, \Closure $callback): mixed
    {
        return $this->rememberWithWarmth($key, $ttl, $callback)[0];
    }

    /**
     * @param \UnitEnum|string $key
     * @param \Closure|\DateTimeInterface|\DateInterval|int|null $ttl
     * @return array{mixed, bool} the value, and true if it was there
     */
    public function rememberWithWarmth($key, $ttl, \Closure $callback): array
    {
        $value = $this->get($key);
        if ($value !== null) {
            return [$value, true];
        }
        $key = enum_value($key);
        $isMade = false;
        $make = function (?Computation $computation) use ($key, $ttl, $callback, &$isMade): mixed {
            $isMade = true;
            $made = $callback();
            $lifetime = $ttl instanceof \Closure ? $ttl($made) : $ttl;
            $seconds = $lifetime === null ? null : $this->getSeconds($lifetime);
            if ($computation === null) {
                $this->put($key, $made, $seconds);
            } elseif ($made === null || $seconds !== null && $seconds <= 0) {
                $computation->doNotStore(); // null is a miss
            } else {
                $this->event(new WritingKey($this->getName(), $key, $made, $seconds));
                $computation->expireAfter($seconds ?? 0);
                $this->event(new KeyWritten($this->getName(), $key, $made, $seconds));
            }

            return $made;
        };
        /** @var LarderCacheStore $store */
        $store = $this->store;
        $value = $store->remember($this->itemKey($key), $make);

        return [$value === null && !$isMade ? $make(null) : $value, false]; // a stored null, which Larder returns
    }

    /** @param \UnitEnum|string $key */
    public function rememberForever($key, \Closure $callback): mixed
    {
        return $this->remember($key, null, $callback);
    }

    /** The events of a short read cost more than the read itself. Other dispatchers, such as fakes, hear all. */
    private function areReadsHeard(): bool
    {
        $events = $this->events;

        return $events !== null && ($events::class !== Dispatcher::class
            || $events->hasListeners(RetrievingKey::class)
            || $events->hasListeners(CacheHit::class)
            || $events->hasListeners(CacheMissed::class));
    }
}
