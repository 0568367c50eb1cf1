<?php

declare(strict_types=1);

namespace Larder\Event;

/** remember() or rememberMany() has computed a value in this process. */
final class Computed implements Event
{
    /**
     * @param float $seconds that it took; for rememberMany(), the call's time divided by its values
     * @param bool $isStored false if another process wrote during the computation, the callback asked for that, or the
     *         store refused
     */
    public function __construct(
        public readonly string $key,
        public readonly float $seconds,
        public readonly bool $isStored,
    ) {}
}
