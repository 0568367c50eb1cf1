<?php

declare(strict_types=1);

namespace Larder\Internal\Driver;

use Larder\Driver\Driver;

/** A driver that can find problems of a store that opened. */
interface Diagnoses extends Driver
{
    /** @return string reason why it keeps nothing now; empty if it works */
    public function problem(): string;

    /** @return string possible improvement; empty if there is none */
    public function advice(): string;
}
