<?php

declare(strict_types=1);

namespace Larder\Driver;

/** What somebody who runs a server should know about it. */
final class Remark
{
    /**
     * @param string $what a setting and what follows from it, without a full stop
     * @param string $how the setting that a cache should have; empty when there is nothing to do
     */
    public function __construct(public readonly string $what, public readonly string $how = '') {}
}
