<?php

declare(strict_types=1);

/* A short request that stores what is missing and holds a value at its end; see host.c. */

if (larder_fetch('held') === null) {
    larder_store('held', range(1, 1000));
}
$held = larder_fetch('held');
