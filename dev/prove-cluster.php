<?php

declare(strict_types=1);

/*
 * Clusters and sentinels that change under load, for Larder and for phpredis alone; see dev/prove-cluster.
 *
 *     php dev/prove-cluster.php [--write] [part of a scenario's name]
 */

use Larder\Cli\TemporaryDirectory;
use Larder\Dev\Failover\LarderClient;
use Larder\Dev\Failover\Outcomes;
use Larder\Dev\Failover\PhpredisClient;
use Larder\Dev\Failover\Scenario;
use Larder\Dev\Failover\Table;

require dirname(__DIR__) . '/vendor/autoload.php';

$isWritten = in_array('--write', $argv, true);
$wanted = array_values(array_diff(array_slice($argv, 1), ['--write']))[0] ?? '';
$scenarios = array_filter(Scenario::cases(), static fn(Scenario $scenario): bool => str_contains($scenario->value, $wanted));
$directory = new TemporaryDirectory('/dev/shm');
$table = new Table();
$failed = 0;
foreach ($scenarios as $scenario) {
    foreach (['Larder', 'phpredis alone'] as $who) {
        $nodes = $scenario->start($directory);

        try {
            $client = $who === 'Larder'
                ? static fn(): LarderClient => new LarderClient($scenario->dsn($nodes))
                : static fn(): PhpredisClient => new PhpredisClient($scenario->phpredis($nodes), Scenario::name(''));
            $outcomes = Outcomes::of($scenario, $nodes, $client);
        } finally {
            $nodes->stop();
        }
        $isWrong = $who === 'Larder' && !$outcomes->isRight();
        $failed += $isWrong ? 1 : 0;
        echo $isWrong ? 'FAILED  ' : 'ok      ', $table->add($scenario, $who, $outcomes), "\n";
    }
}
if ($isWritten && $wanted === '') {
    $table->write(dirname(__DIR__) . '/docs/cluster.md');
}
printf("%d passed, %d failed\n", count($scenarios) - $failed, $failed);
exit($failed === 0 ? 0 : 1);
