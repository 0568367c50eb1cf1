<?php

declare(strict_types=1);

// One place of `larder stampede`, in a process that has been given its settings. It is started by the tool, not by people.

use Larder\Exception\CacheException;
use Larder\Tool\Stampede\Stampede;

require __DIR__ . '/autoload.php';

[, $address, $directory, $processes, $seconds, $lease] = $argv;

try {
    $stampede = new Stampede($address, $directory, (int) $processes, (float) $seconds, (float) $lease);
    echo json_encode(['cold' => $stampede->cold(), 'killed' => $stampede->killed()], \JSON_THROW_ON_ERROR);
} catch (CacheException $missing) {
    echo json_encode(['missing' => $missing->getMessage()], \JSON_THROW_ON_ERROR);
}
