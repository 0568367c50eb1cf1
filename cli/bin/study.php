<?php

declare(strict_types=1);

// One measuring process of `larder compare --study`. It is started by the tool, not by people.

use Larder\Cli\Study\Worker;

require __DIR__ . '/autoload.php';

Worker::run();
