<?php

declare(strict_types=1);

namespace Larder\Event;

/**
 * Learns what happens in a cache, in the process that caused it, at once: what it does makes the caller wait.
 *
 * An exception of it reaches nobody: the cache goes on, and its logger is told of the first. What it does with the same cache
 * is not observed.
 */
interface Observer
{
    public function observe(Event $event): void;
}
