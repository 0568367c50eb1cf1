<?php

declare(strict_types=1);

// Measures one row of `larder figures` in a fresh process. It is started by the tool, not by people.

use Larder\Tool\Figures\Rows;

require __DIR__ . '/autoload.php';

[, $name, $rounds] = $argv;
echo json_encode((Rows::all()[$name]->measure)((int) $rounds), \JSON_THROW_ON_ERROR);
