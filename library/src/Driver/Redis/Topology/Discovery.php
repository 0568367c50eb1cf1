<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Driver\Redis\Wire\ServerGone;

/** A way to find out which servers there are. */
interface Discovery
{
    /**
     * @param list<string> $known "host:port" of servers that may be asked before those of the DSN, in this order
     * @param array<int, string> $away "host:port" of servers that are asked last, as they have failed
     * @throws ServerGone when none of those asked can tell
     */
    public function ask(array $known, array $away): SlotMap;
}
