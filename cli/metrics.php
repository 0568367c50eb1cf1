<?php

declare(strict_types=1);

// What Prometheus asks: the figures of the cache of a PHP-FPM pool. A web server runs this file where it is, and allows
// only Prometheus' address: docs/operate.md.

use Larder\Cli\Inspect\Prometheus;

require __DIR__ . '/bin/autoload.php';

header('Content-Type: text/plain; version=0.0.4; charset=utf-8');
header('Cache-Control: no-store');
echo Prometheus::text();
