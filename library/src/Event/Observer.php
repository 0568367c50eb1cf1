<?php

declare(strict_types=1);

namespace Larder\Event;

/**
 * Receives the events of a cache, in the process that caused them, at once: the caller waits for it.
 *
 * Its exceptions reach no caller: the cache goes on, and logs the first. Its own calls of the same cache are not
 * observed.
 */
interface Observer
{
    public function observe(Event $event): void;
}
