<?php

declare(strict_types=1);

namespace Larder\Event;

/** A value was found. */
final class Hit implements Event
{
    /** @param bool $isStale past its ttl: remember() returns it while it is computed again */
    public function __construct(public readonly string $key, public readonly bool $isStale = false) {}
}
