<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

/** What the studies measured of a store. */
enum Operation: string
{
    case Get = 'get';
    case Set = 'set';

    /** A set, then a get of the same key: one repeat of a loop. */
    case SetThenGet = 'set+get';

    /** Each time a cache of its own, as in a short request. */
    case ConnectGetClose = 'connect+get+close';
}
