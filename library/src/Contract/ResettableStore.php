<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that keeps something for one request: what one process keeps from request to request has to be dropped between them. */
interface ResettableStore
{
    public function reset(): void;
}
