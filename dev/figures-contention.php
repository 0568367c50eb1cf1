<?php

declare(strict_types=1);

/*
 * Several processes on one key: the engine beside APCu.
 *
 *   php -d extension=larder.so -d apc.enable_cli=1 dev/figures-contention.php FILE [ROUNDS]
 *
 * 2, 4, 8 and 16 processes count one key, or store 100 bytes under it, for a tenth of a second in each round, in a cache
 * with room and in a full one. The rounds of the two alternate. Writes the calls a second of all processes together, the
 * median of the rounds, and how many calls were refused, as JSON Lines. Needs pcntl.
 */

const LASTING_NS = 100_000_000;

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

/**
 * @param callable(int): bool $call
 *
 * @return array{int, int} calls of one process, and how many of them were refused
 */
function one(callable $call, int $from): array
{
    for ($calls = $refused = 0, $until = $from + LASTING_NS; hrtime(true) < $until;) {
        for ($i = 0; $i < 50; $i++, $calls++) {
            $refused += (int) !$call($calls);
        }
    }

    return [$calls, $refused];
}

/**
 * @param callable(int): bool $call
 *
 * @return array{float, int} calls a second of all processes, and how many were refused
 */
function together(int $processes, callable $call): array
{
    $children = [];
    $from = hrtime(true) + 5_000_000 + $processes * 1_000_000;
    for ($i = 0; $i < $processes; $i++) {
        $pair = stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0) ?: throw new RuntimeException('no sockets');
        $child = pcntl_fork();
        if ($child === 0) {
            while (hrtime(true) < $from) {
                usleep(100);
            }
            fwrite($pair[1], json_encode(one($call, $from), \JSON_THROW_ON_ERROR));
            posix_kill(posix_getpid(), \SIGKILL); // nothing of the parent is to be cleaned up
        }
        fclose($pair[1]);
        $children[] = [$child, $pair[0]];
    }
    $calls = $refused = 0;
    foreach ($children as [$child, $socket]) {
        /** @var array{int, int} $one */
        $one = json_decode((string) stream_get_contents($socket), true, 2, \JSON_THROW_ON_ERROR);
        pcntl_waitpid($child, $status);
        $calls += $one[0];
        $refused += $one[1];
    }

    return [$calls * 1e9 / LASTING_NS, $refused];
}

/** @param non-empty-list<float> $values */
function median(array $values): float
{
    sort($values);

    return $values[intdiv(\count($values), 2)];
}

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
            $seconds = $refused = [];
            for ($round = 0; $round < $rounds; $round++) {
                foreach ($engines as $name => $engine) {
                    // In a full cache others are stored meanwhile: one of 16 calls.
                    $call = $full
                        ? static fn(int $i): bool => $i % 16 === 0 ? ($engine['fill'])($i * 7919 % 1_000_000) : ($engine[$work])($i)
                        : $engine[$work];
                    [$seconds[$name][], $refused[$name][]] = together($processes, $call);
                }
            }
            $row = ['work' => $work, 'memory' => $state, 'processes' => $processes];
            foreach ($engines as $name => $_) {
                $row[$name] = ['calls_a_second' => (int) median($seconds[$name]), 'refused' => array_sum($refused[$name])];
            }
            $row['ratio'] = round(median(array_map(static fn(float $a, float $b): float => $a / $b, $seconds['larder'], $seconds['apcu'])), 2);
            $rows[] = $row;
            fprintf(\STDERR, "%-6s %-9s %2d processes: larder %10d a second, %d refused; apcu %10d, %d refused; %.2f times\n", $work, $state, $processes, $row['larder']['calls_a_second'], $row['larder']['refused'], $row['apcu']['calls_a_second'], $row['apcu']['refused'], $row['ratio']);
        }
    }
}
$lines = array_map(static fn(array $line): string => json_encode($line, \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION), [['date' => gmdate('Y-m-d'), 'php' => \PHP_VERSION, 'rounds' => $rounds], ...$rows]);
file_put_contents($file, implode("\n", $lines) . "\n");
