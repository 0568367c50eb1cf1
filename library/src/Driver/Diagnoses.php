<?php

declare(strict_types=1);

namespace Larder\Driver;

/** A driver that can say more of a store that opened. */
interface Diagnoses extends Driver
{
    /** @return string why it keeps nothing at the moment; empty when it does */
    public function problem(): string;

    /** @return string what would make it better; empty when nothing would */
    public function advice(): string;
}
