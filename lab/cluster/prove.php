<?php

declare(strict_types=1);

/*
 * Changes clusters and sentinels under load, with Larder and with phpredis alone; see lab/cluster/prove.
 *
 *     php lab/cluster/prove.php [--write] [part of a scenario's name]
 */

use Larder\Cli\System\TemporaryDirectory;
use Larder\Lab\Failover\Client;
use Larder\Lab\Failover\Outcomes;
use Larder\Lab\Failover\Scenario;
use Larder\Lab\Failover\Table;

require dirname(__DIR__, 2) . '/vendor/autoload.php';

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
    $table->write(dirname(__DIR__, 2) . '/docs/figures/failover.tsv');
}
printf("%d passed, %d failed\n", $passed, $failed);
exit($failed === 0 ? 0 : 1);
