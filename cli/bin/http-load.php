<?php

declare(strict_types=1);

// The load generator of the HTTP measurements: takes its job from its input, prints what it found of each page on a
// line. It is started by the tool, not by people.

use Larder\Cli\Http\LoadGenerator;

require __DIR__ . '/autoload.php';

/**
 * @var array{
 *     port: int, concurrency: positive-int, turnRequests: positive-int, rounds: int, pages: array<string, string>,
 * } $job
 */
$job = json_decode((string) stream_get_contents(\STDIN), true, flags: \JSON_THROW_ON_ERROR);
$loads = (new LoadGenerator($job['port'], $job['concurrency'], $job['turnRequests']))
    ->run($job['pages'], $job['rounds']);
foreach ($loads as $load) {
    // all beside the first
    echo json_encode(
        [...$load->toArray(), 'share' => $load->share($loads[0])],
        \JSON_THROW_ON_ERROR | \JSON_INVALID_UTF8_SUBSTITUTE,
    ), "\n";
}
