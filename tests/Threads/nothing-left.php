<?php

declare(strict_types=1);

/*
 * The last request of a host whose threads have all ended: their records and descriptors are gone. Prints the process's
 * resident memory in KiB. Ends with 1 if anything is left.
 */

require __DIR__ . '/descriptors.php';

larder_store('last', true);
$processes = larder_info()['processes'];
$files = open_segments();
if (!is_array($processes) || $processes['attached'] !== 1 || count($files) !== 1) {
    file_put_contents('php://stderr', json_encode([$processes, $files], JSON_THROW_ON_ERROR) . "\n");
    exit(1);
}
preg_match('/^VmRSS:\s+(\d+) kB$/m', (string) file_get_contents('/proc/self/status'), $found);
echo $found[1] ?? '', "\n";
