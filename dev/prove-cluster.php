<?php

declare(strict_types=1);

/*
 * Clusters and sentinels that change under load, for Larder and for phpredis alone; see dev/prove-cluster.
 *
 *     php dev/prove-cluster.php [--write] [part of a scenario's name]
 */

use Larder\Cli\TemporaryDirectory;
use Larder\Dev\Failover\Client;
use Larder\Dev\Failover\Outcomes;
use Larder\Dev\Failover\Scenario;
use Larder\Dev\Failover\Table;

require dirname(__DIR__) . '/vendor/autoload.php';

$isWritten = in_array('--write', $argv, true);
$wanted = array_values(array_diff(array_slice($argv, 1), ['--write']))[0] ?? '';
$scenarios = array_filter(Scenario::cases(), static fn(Scenario $scenario): bool => str_contains($scenario->value, $wanted));
$directory = new TemporaryDirectory('/dev/shm');
$table = new Table();
$passed = $failed = 0;
foreach ($scenarios as $scenario) {
    foreach ($scenario->clients() as $who) {
        $nodes = $scenario->start($directory);

        try {
            $outcomes = Outcomes::of($scenario, $nodes, static fn(): Client => $scenario->client($who, $nodes));
        } finally {
            $nodes->stop();
        }
        $isAsExpected = match ($who) {
            Scenario::LARDER => $outcomes->isRight(),
            Scenario::PHPREDIS => null,
            default => $outcomes->wrong > 0,
        };
        $passed += $isAsExpected === true ? 1 : 0;
        $failed += $isAsExpected === false ? 1 : 0;
        echo $isAsExpected === false ? 'FAILED  ' : 'ok      ', $table->add($scenario, $who, $outcomes), "\n";
    }
}
if ($isWritten && $wanted === '') {
    $table->write(dirname(__DIR__) . '/docs/cluster.md');
}
printf("%d passed, %d failed\n", $passed, $failed);
exit($failed === 0 ? 0 : 1);
