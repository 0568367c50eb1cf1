<?php

declare(strict_types=1);

// The page of `larder compare --workload safety` that its PHP-FPM workers run. It is asked for by the tool, not by
// people.

use Larder\Cli\Workload\SafetyPage;

require __DIR__ . '/autoload.php';

SafetyPage::serve();
