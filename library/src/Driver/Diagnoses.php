<?php

declare(strict_types=1);

namespace Larder\Driver;

/** A driver that can find problems of a store that opened. */
interface Diagnoses extends Driver
{
    /** @return string why it keeps nothing at the moment; empty if it works */
    public function problem(): string;

    /** @return string what would improve it; empty if nothing would */
    public function advice(): string;
}
