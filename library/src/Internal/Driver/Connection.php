<?php

declare(strict_types=1);

namespace Larder\Internal\Driver;

/** A way to reach a store, or the kind of file system of its files. */
enum Connection: string
{
    case Socket = 'socket';
    case Tcp = 'tcp';
    case Tmpfs = 'tmpfs';
    case Disk = 'disk';
}
