<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that keeps something for one request: a process that serves several must reset it between them. */
interface ResettableStore
{
    public function reset(): void;
}
