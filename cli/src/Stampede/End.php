<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

/** The result for one store. */
enum End
{
    case Measured;
    /** It is not installed here, or its server is not there. */
    case Missing;
    case Failed;
}
