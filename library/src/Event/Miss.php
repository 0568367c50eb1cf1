<?php

declare(strict_types=1);

namespace Larder\Event;

/** No value was found: there is none, it is out of date, it could not be read, or its server is unreachable. */
final class Miss implements Event
{
    public function __construct(public readonly string $key) {}
}
