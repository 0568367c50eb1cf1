<?php

/*
 * Prints the answers to random calls of apcu_*(), a line each.
 *
 *   php calls.php SEED COUNT
 */

declare(strict_types=1);

use Larder\ProjectTests\Apcu\Calls;

require __DIR__ . '/Values.php';
require __DIR__ . '/Calls.php';

[, $seed, $count] = array_map(intval(...), $argv);
apcu_clear_cache();
$calls = new Calls($seed);
for ($i = 0; $i < $count; $i++) {
    echo $calls->line(), "\n";
}
