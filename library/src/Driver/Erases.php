<?php

declare(strict_types=1);

namespace Larder\Driver;

use Larder\Dsn\Dsn;

/** A driver whose store leaves something behind when a namespace is cleared: a table, a folder. */
interface Erases extends Driver
{
    /** Removes what is left of the namespace of this DSN, which has been cleared. */
    public function erase(Dsn $dsn): void;
}
