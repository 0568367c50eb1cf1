<?php

declare(strict_types=1);

// A process of a host: calls methods of the cache named by its argument, as the lines of its input say.

use Larder\Cache;

require __DIR__ . '/../../vendor/autoload.php';

$cache = Cache::open($argv[1] ?? '');
while (($line = fgets(STDIN)) !== false) {
    $call = unserialize((string) base64_decode($line, true));
    if (!is_array($call) || !is_string($call[0]) || !is_array($call[1])) {
        exit(1);
    }
    $method = new ReflectionMethod($cache, $call[0]);
    echo base64_encode(serialize($method->invokeArgs($cache, array_values($call[1])))), "\n";
}
