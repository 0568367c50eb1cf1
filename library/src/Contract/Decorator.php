<?php

declare(strict_types=1);

namespace Larder\Contract;

/** A store before other stores. It can do what they can, and passes that on (see ForwardsCapabilities). */
interface Decorator extends Store
{
    /** The store behind it that says what it can do; one of them where all are of one kind. */
    public function decorated(): Store;
}
