<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store that keeps something for one request. In a process that serves several requests, it must be reset between them. */
interface ResettableStore
{
    public function reset(): void;
}
