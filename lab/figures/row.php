<?php

declare(strict_types=1);

// Measures one row of lab/figures/run, in a process that lab/figures/measure.php starts.

use Larder\Lab\Figures\Rows;

require __DIR__ . '/../../vendor/autoload.php';

// Makes room in PHP's heap. If its first chunk were almost full, PHP would map and unmap memory for every larger value.
$blocks = [];
while (memory_get_usage(true) < 16 << 20) {
    $blocks[] = str_repeat('x', 100_000);
}
$blocks = [end($blocks)];

[, $name, $rounds] = $argv;
echo json_encode((Rows::all()[$name]->measure)((int) $rounds), \JSON_THROW_ON_ERROR);
