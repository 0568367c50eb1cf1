<?php

declare(strict_types=1);

namespace Larder\Event;

/** remember() or rememberMany() has computed a value in this process. */
final class Computed implements Event
{
    /**
     * @param float $seconds that it took; of rememberMany() the same share for each value of a call
     * @param bool $isStored false if another had written meanwhile, if the computation asked for that, or if the store refused
     */
    public function __construct(public readonly string $key, public readonly float $seconds, public readonly bool $isStored) {}
}
