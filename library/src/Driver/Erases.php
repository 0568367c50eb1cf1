<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Dsn\Dsn;

/** A driver whose store leaves something behind after clear(): a table, a folder. */
interface Erases extends Driver
{
    /** Removes what is left of the cleared namespace of this DSN. */
    public function erase(Dsn $dsn): void;
}
