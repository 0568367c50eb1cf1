<?php

declare(strict_types=1);

// Measures one row of lab/figures/run in a process of its own, which lab/figures/measure.php starts.

use Larder\Lab\Figures\Rows;

require __DIR__ . '/../../vendor/autoload.php';

// Free room in PHP's heap. If the first chunk were just full, every larger value would be mapped, and unmapped again.
$blocks = [];
while (memory_get_usage(true) < 16 << 20) {
    $blocks[] = str_repeat('x', 100_000);
}
$blocks = [end($blocks)];

[, $name, $rounds] = $argv;
echo json_encode((Rows::all()[$name]->measure)((int) $rounds), \JSON_THROW_ON_ERROR);
