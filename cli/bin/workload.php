<?php

declare(strict_types=1);

// One measuring process of `larder compare --workload`. It is started by the tool, not by people.

use Larder\Cli\Workload\TaskBlock;

require __DIR__ . '/autoload.php';

TaskBlock::work();
