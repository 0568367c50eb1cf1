<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

/** The result for one store. */
enum End
{
    case Measured;
    /** The store is not installed here, or its server does not run. */
    case Missing;
    case Failed;
}
