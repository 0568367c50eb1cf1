<?php

declare(strict_types=1);

// Prints the figures of a PHP-FPM pool's cache for Prometheus. The web server runs this file in place, and lets only
// Prometheus reach it: docs/operate.md.

use Larder\Cli\Inspect\Counters;
use Larder\Cli\Inspect\Engine;
use Larder\Cli\Inspect\History;
use Larder\Cli\Inspect\Prometheus;

require __DIR__ . '/bin/autoload.php';

header('Content-Type: text/plain; version=0.0.4; charset=utf-8');
header('Cache-Control: no-store');
echo Prometheus::text();
if (Engine::whyNot() === '') {
    History::note(Counters::read()); // for page.php
}
