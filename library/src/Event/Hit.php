<?php

declare(strict_types=1);

namespace Larder\Event;

/** A value was found. */
final class Hit implements Event
{
    /** @param bool $isStale true if it is past its ttl, and remember() returns it during its recomputation */
    public function __construct(public readonly string $key, public readonly bool $isStale = false) {}
}
