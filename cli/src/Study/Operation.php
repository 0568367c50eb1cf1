<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

/** The operations that the studies measured. */
enum Operation: string
{
    case Get = 'get';
    case Set = 'set';

    /** A set, then a get of the same key: one iteration of a loop. */
    case SetThenGet = 'set+get';

    /** Opens a new cache each time, as a short request does. */
    case ConnectGetClose = 'connect+get+close';
}
