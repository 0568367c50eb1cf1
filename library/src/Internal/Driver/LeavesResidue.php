<?php

declare(strict_types=1);

namespace Larder\Internal\Driver;

use Larder\Driver\Driver;
use Larder\Dsn\Dsn;

/** A driver whose store leaves something behind after clear(): a table, a folder. */
interface LeavesResidue extends Driver
{
    /** Removes what is left of the cleared namespace of this DSN. */
    public function erase(Dsn $dsn): void;
}
