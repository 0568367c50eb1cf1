<?php

declare(strict_types=1);

// Forwards ports of an address to 127.0.0.1, with a delay: relay.php ADDRESS MICROSECONDS PORT… It is started by the
// tool, in a network namespace, not by people.

use Larder\Cli\Study\Relay;

require __DIR__ . '/autoload.php';

/** @var list<string> $argv */
Relay::run($argv[1] ?? '', 1000 * (int) ($argv[2] ?? 0), array_map(intval(...), array_slice($argv, 3)));
