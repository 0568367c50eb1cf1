<?php

declare(strict_types=1);

/*
 * Compares sessions under PHP-FPM: the engine's and the library's handlers, PHP's files, phpredis and memcached.
 *
 *   php lab/figures/sessions.php FILE [ROUNDS]
 *
 * In each round, every handler serves ten requests at once, first of one session, then of ten sessions. Each request
 * keeps its session open for WORK microseconds, and starts STAGGER microseconds after the one before. Then one request
 * opens and closes one session OPENINGS times. Writes as JSON Lines the medians of the rounds: the time of all ten
 * requests, the wait of session_start(), the share of pairs that were served out of order, and the time of an
 * uncontended opening and closing. Also writes the number of lost updates and of failed requests, as sums. Needs pcntl.
 */

use Larder\Cli\Server\MemcachedServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Timing\Statistics;
use Larder\Testing\Fork;

require __DIR__ . '/../../vendor/autoload.php';

const PAGE = __DIR__ . '/src/session-page.php';
const REQUESTS = 10;
const WORK = 10_000;
const STAGGER = 1_000;
const OPENINGS = 200;

/** @var list<string> $argv */
$file = $argv[1] ?? 'php://stdout';
$rounds = max(1, (int) ($argv[2] ?? 9));
$engine = getenv('LARDER_EXTENSION');

$folder = new TemporaryDirectory('/dev/shm');
$redis = RedisServer::start($folder->add('redis'));
$memcached = MemcachedServer::start($folder->add('memcached'));
$fpm = PhpFpmServer::start(
    $folder->add('fpm'),
    ['session.gc_probability' => 0, 'larder.path' => $folder->add('engine')],
    $engine === false ? [] : [$engine],
    [new PhpFpmPool(workers: REQUESTS)],
);
$settings = static fn(string $handler, string $path, string ...$more): array => [
    'SETTINGS' => json_encode(['session.save_handler' => $handler, 'session.save_path' => $path, ...$more], \JSON_THROW_ON_ERROR),
];
$handlers = [
    'PHP files' => $settings('files', $folder->add('sessions')),
    'the engine' => $settings('larder', ''),
    'Larder, file:' => ['DSN' => 'file://' . $folder->add('store')],
    'Larder, larder:' => ['DSN' => 'larder:'],
    'Larder, redis:' => ['DSN' => "redis://$redis->socket?timeout=30"],
    'phpredis, locking' => $settings('redis', "unix://$redis->socket", ...['redis.session.locking_enabled' => '1']),
    'phpredis, default' => $settings('redis', "unix://$redis->socket", ...['redis.session.locking_enabled' => '0']),
    'Larder, memcached:' => ['DSN' => "memcached://$memcached->socket?timeout=30"],
    'memcached' => $settings('memcached', "$memcached->socket:0"),
];

/**
 * @param array<string, string> $parameters
 * @return array{waits: non-empty-list<float>, times: non-empty-list<float>, n: int}|null null if the request failed
 */
$request = static function (array $parameters, string $id, int $work, int $times) use ($fpm): ?array {
    $connection = $fpm->connect();
    /** @var array<string, string> $all */
    $all = ['ID' => $id, 'WORK' => (string) $work, 'TIMES' => (string) $times] + $parameters + PhpFpmServer::parameters(PAGE);
    $answer = $connection->request($all);
    $connection->close();

    /** @var array{waits: non-empty-list<float>, times: non-empty-list<float>, n: int}|null */
    return $answer->status === 200 ? json_decode($answer->body, true) : null;
};

/**
 * @param array<string, string> $parameters
 * @param bool $isOne true if all requests are of one session
 * @return array{milliseconds: float, wait: float, longest: float, disorder: float, lost: int, failed: int}
 */
$atOnce = static function (array $parameters, string $id, bool $isOne) use ($request): array {
    $forks = Fork::several(REQUESTS, static function (int $number, Closure $ready) use ($request, $parameters, $id, $isOne): array {
        $ready();
        usleep($number * STAGGER);
        $begin = hrtime(true);

        return [$begin, $request($parameters, $isOne ? $id : $id . $number, WORK, 1), hrtime(true)];
    });
    /** @var non-empty-list<array{int, array{waits: non-empty-list<float>, times: non-empty-list<float>, n: int}|null, int}> $answers */
    $answers = array_map(static fn(Fork $fork): mixed => $fork->result(), $forks);
    usort($answers, static fn(array $a, array $b): int => $a[0] <=> $b[0]);
    $served = array_values(array_filter(array_column($answers, 1)));
    $counted = array_column($served, 'n');
    $pairs = $swapped = 0;
    foreach ($counted as $i => $first) {
        foreach (array_slice($counted, $i + 1) as $second) {
            ++$pairs;
            $swapped += (int) ($second < $first);
        }
    }
    $waits = array_map(static fn(array $answer): float => $answer['waits'][0] / 1000, $served);

    return [
        'milliseconds' => (max(array_column($answers, 2)) - min(array_column($answers, 0))) / 1e6,
        'wait' => $waits === [] ? 0.0 : Statistics::median($waits),
        'longest' => $waits === [] ? 0.0 : max($waits),
        'disorder' => $pairs === 0 ? 0.0 : 100 * $swapped / $pairs,
        'lost' => count($counted) - count(array_unique($counted)),
        'failed' => REQUESTS - count($served),
    ];
};

/** @var array<string, list<array{one: array{milliseconds: float, wait: float, longest: float, disorder: float, lost: int, failed: int}, ten: array{milliseconds: float, wait: float, longest: float, disorder: float, lost: int, failed: int}, alone: float}>> $measured */
$measured = [];
for ($round = -1; $round < $rounds; ++$round) { // the first round warms the workers up, and does not count
    foreach ($handlers as $name => $parameters) {
        $unique = bin2hex(random_bytes(12));
        $one = $atOnce($parameters, $unique, true);
        $ten = $atOnce($parameters, $unique, false);
        $alone = $request($parameters, $unique . 'alone', 0, OPENINGS) ?? throw new RuntimeException("$name failed");
        if ($round >= 0) {
            $measured[$name][] = ['one' => $one, 'ten' => $ten, 'alone' => Statistics::median($alone['times'])];
        }
    }
}
$rows = [['date' => gmdate('Y-m-d'), 'php' => \PHP_VERSION, 'rounds' => $rounds, 'requests' => REQUESTS, 'work_ms' => WORK / 1000]];
fprintf(\STDERR, "%-20s %31s   %14s   %s\n", '', 'ten requests of one session', 'of ten', 'open and close, one process');
foreach ($measured as $name => $samples) {
    if ($samples === []) {
        continue;
    }
    $one = array_column($samples, 'one');
    $median = static fn(string $figure): float => round(Statistics::median(array_map(static fn(array $sample): float => (float) $sample[$figure], $one)), 2);
    $rows[] = $row = [
        'handler' => $name,
        'one_session_ms' => $median('milliseconds'),
        'wait_ms' => $median('wait'),
        'longest_wait_ms' => $median('longest'),
        'out_of_order_percent' => $median('disorder'),
        'lost' => array_sum(array_column($one, 'lost')),
        'failed' => array_sum(array_column($one, 'failed')) + array_sum(array_column(array_column($samples, 'ten'), 'failed')),
        'ten_sessions_ms' => round(Statistics::median(array_column(array_column($samples, 'ten'), 'milliseconds')), 2),
        'alone_us' => round(Statistics::median(array_column($samples, 'alone')), 2),
        'alone_of_files' => round(Statistics::median(array_map(
            static fn(array $sample, array $files): float => $sample['alone'] / $files['alone'],
            $samples,
            $measured['PHP files'],
        )), 2),
    ];
    fprintf(
        \STDERR,
        "%-20s %4.0f ms, wait %3.0f, longest %4.0f; %2.0f %% out of order, lost %d, failed %d; of ten %3.0f ms; alone %4.0f us, %.2f of files\n",
        ...array_values($row),
    );
}
$fpm->stop();
$redis->stop();
$memcached->stop();
file_put_contents($file, implode("\n", array_map(static fn(array $row): string => json_encode($row, \JSON_THROW_ON_ERROR | \JSON_PRESERVE_ZERO_FRACTION), $rows)) . "\n");
