<?php

declare(strict_types=1);

// Measures one store of `larder stampede`, in a process with the settings for it. The command starts it, not people.
// The job comes on standard input: a DSN may contain a password, and arguments are visible to everybody.

use Larder\Cli\Command\Interrupted;
use Larder\Cli\Stampede\PrivateStore;
use Larder\Cli\Stampede\Stampede;
use Larder\Exception\CacheException;

require __DIR__ . '/autoload.php';

/** @var array{dsn: string, directory: string, processes: int, seconds: int|float, lease: int|float} $job */
$job = json_decode((string) stream_get_contents(\STDIN), true, flags: \JSON_THROW_ON_ERROR);
pcntl_async_signals(true);
foreach ([\SIGINT, \SIGTERM, \SIGHUP] as $signal) {
    pcntl_signal($signal, static fn(int $signal): never => throw new Interrupted($signal));
}
$store = null;
try {
    $store = new PrivateStore($job['dsn']);
    $stampede = new Stampede(
        $store->dsn,
        $job['directory'],
        $job['processes'],
        (float) $job['seconds'],
        (float) $job['lease'],
    );
    $outcome = ['cold' => $stampede->cold(), 'killed' => $stampede->killed()];
} catch (CacheException $missing) {
    $outcome = ['missing' => $missing->getMessage()];
} catch (\RuntimeException|Interrupted $failure) {
    $outcome = ['failed' => $failure->getMessage()];
}
try {
    $store?->remove();
} catch (\Exception $failure) {
    $outcome += ['failed' => 'its namespace could not be removed: ' . $failure->getMessage()];
}
echo json_encode($outcome, \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_PRESERVE_ZERO_FRACTION | \JSON_THROW_ON_ERROR);
