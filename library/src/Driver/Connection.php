<?php

declare(strict_types=1);

namespace Larder\Driver;

/** A way to reach a store, or a kind of place for its files. */
enum Connection: string
{
    case Socket = 'socket';
    case Tcp = 'tcp';
    case Tmpfs = 'tmpfs';
    case Disk = 'disk';
}
