<?php

declare(strict_types=1);

namespace Larder\Internal\Driver;

/** Advice to the administrator of a server. */
final class Remark
{
    /**
     * @param string $what a setting and its consequence, without a full stop
     * @param string $how the setting that a cache should have; empty if there is nothing to do
     */
    public function __construct(public readonly string $what, public readonly string $how = '') {}
}
