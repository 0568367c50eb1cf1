<?php

declare(strict_types=1);

/*
 * Compares the engine with APCu when several processes use one key.
 *
 *   php -d extension=larder.so -d apc.enable_cli=1 lab/figures/contention.php FILE [ROUNDS]
 *
 * In each round, 2, 4, 8 or 16 processes increment one key, or store 100 bytes under it, for a tenth of a second. The
 * cache has room, or is full. The rounds of the two caches alternate. Writes as JSON Lines the calls per second of all
 * processes together, as the median of the rounds, and the number of refused calls. Needs pcntl.
 */

use Larder\Cli\Timing\Statistics;
use Larder\Cli\Timing\Timer;
use Larder\Lab\Figures\Throughput;

require __DIR__ . '/../../vendor/autoload.php';

/** Calls between two readings of the clock. */
const CALLS = 50;

/** @var list<string> $argv */
$file = $argv[1] ?? 'php://stdout';
$rounds = (int) ($argv[2] ?? 9);

/** @var array<string, array{count: callable(): bool, store: callable(int): bool, fill: callable(int): bool, clear: callable(): bool}> $engines */
$engines = [
    'larder' => [
        'count' => static fn(): bool => larder_increment('one key') !== false,
        'store' => static fn(int $i): bool => larder_store('one key', str_repeat(\chr($i & 127), 100)),
        'fill' => static fn(int $i): bool => larder_store("filler $i", str_repeat('x', 4000)),
        'clear' => larder_clear(...),
    ],
    'apcu' => [
        'count' => static fn(): bool => apcu_inc('one key') !== false,
        'store' => static fn(int $i): bool => apcu_store('one key', str_repeat(\chr($i & 127), 100)),
        'fill' => static fn(int $i): bool => apcu_store("filler $i", str_repeat('x', 4000)),
        'clear' => apcu_clear_cache(...),
    ],
];

$rows = [];
foreach (['with room' => false, 'full' => true] as $state => $full) {
    foreach ($engines as $engine) {
        ($engine['clear'])();
        for ($i = 0; $full && $i < 40_000; $i++) {
            ($engine['fill'])($i);
        }
    }
    foreach (['count', 'store'] as $work) {
        foreach ([2, 4, 8, 16] as $processes) {
            $samples = array_map(static function (array $engine) use ($work, $full, $processes): Closure {
                // In a full cache, one of 16 calls stores another key.
                $call = $full
                    ? static fn(int $i): bool => $i % 16 === 0 ? ($engine['fill'])($i * 7919 % 1_000_000) : ($engine[$work])($i)
                    : $engine[$work];
                $calls = static function (int $made) use ($call): int {
                    for ($i = $refused = 0; $i < CALLS; ++$i) {
                        $refused += (int) !$call($made + $i);
                    }

                    return $refused;
                };

                return static fn(): array => Throughput::of(array_fill(0, $processes, $calls), CALLS, 0.1);
            }, $engines);
            $seconds = $refused = [];
            foreach (Timer::interleave($samples, $rounds) as $name => $figures) {
                $seconds[$name] = array_map(static fn(array $processes): float => array_sum(array_column($processes, 0)), $figures);
                $refused[$name] = (int) array_sum(array_column(array_merge(...$figures), 1));
            }
            $row = ['work' => $work, 'memory' => $state, 'processes' => $processes];
            foreach ($engines as $name => $_) {
                $row[$name] = ['calls_a_second' => (int) Statistics::median($seconds[$name]), 'refused' => $refused[$name]];
            }
            $row['ratio'] = round(Statistics::median(array_map(static fn(float $a, float $b): float => $a / $b, $seconds['larder'], $seconds['apcu'])), 2);
            $rows[] = $row;
            fprintf(\STDERR, "%-6s %-9s %2d processes: larder %10d a second, %d refused; apcu %10d, %d refused; %.2f times\n", $work, $state, $processes, $row['larder']['calls_a_second'], $row['larder']['refused'], $row['apcu']['calls_a_second'], $row['apcu']['refused'], $row['ratio']);
        }
    }
}
$lines = array_map(static fn(array $line): string => json_encode($line, \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION), [['date' => gmdate('Y-m-d'), 'php' => \PHP_VERSION, 'rounds' => $rounds], ...$rows]);
file_put_contents($file, implode("\n", $lines) . "\n");
