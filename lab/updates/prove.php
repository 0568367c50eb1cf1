<?php

declare(strict_types=1);

/*
 * Tests that parallel requests with sessions lose no updates while their processes are killed.
 *
 *   php lab/updates/prove.php [REQUESTS]
 *
 * CLIENTS clients send REQUESTS (100,000) requests of SESSIONS sessions to PHP-FPM. Each request increments a number in
 * its session, and every PAUSE microseconds a worker is killed. No two requests of a session may get the same number.
 * The control is phpredis without locking, with fewer requests: it must lose some updates.
 */

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\ServerFailed;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Testing\Fork;

require __DIR__ . '/../../vendor/autoload.php';

const PAGE = __DIR__ . '/../figures/src/session-page.php';
const CLIENTS = 12;
const SESSIONS = 5;
const PAUSE = 100_000;
const CONTROL_SHARE = 50;
const ROUND = 5_000; // requests; even a busy machine serves them within a fork's time limit
const WORK = 200; // microseconds that a session stays open, so that other requests arrive during it

/** @var list<string> $argv */
$requests = max(CLIENTS, (int) ($argv[1] ?? 100_000));
$engine = getenv('LARDER_EXTENSION');
if ($engine === false && !extension_loaded('larder')) {
    throw new RuntimeException('the engine is not loaded: run lab/updates/prove');
}
$folder = new TemporaryDirectory('/dev/shm');
$redis = RedisServer::start($folder->add('redis'));
$fpm = PhpFpmServer::start(
    $folder->add('fpm'),
    ['session.gc_probability' => 0, 'larder.path' => $folder->add('engine')],
    $engine === false ? [] : [$engine],
    [new PhpFpmPool(workers: CLIENTS)],
);

$master = $fpm->pid() ?? throw new RuntimeException('PHP-FPM has ended');
$killOne = static function () use ($master): void {
    $children = @file_get_contents("/proc/$master/task/$master/children");
    if ($children === false) {
        exit(1); // PHP-FPM has ended
    }
    $workers = preg_split('/ /', $children, -1, \PREG_SPLIT_NO_EMPTY);
    if ($workers !== [] && $workers !== false) {
        posix_kill((int) $workers[array_rand($workers)], \SIGKILL);
    }
};

/**
 * @param array<string, string> $settings
 * @return array{requests: int, lost: int, killed: int, failed: int}
 */
$run = static function (array $settings, int $requests) use ($fpm, $killOne): array {
    $prefix = bin2hex(random_bytes(12));
    $killer = Fork::start(static function () use ($killOne): never {
        while (true) {
            usleep(PAUSE);
            $killOne();
        }
    });
    $clients = Fork::several(CLIENTS, static function (int $number, Closure $ready) use ($fpm, $settings, $requests, $prefix): array {
        $ready();
        $counted = [];
        $connection = null;
        $killed = $failed = 0;
        for ($i = $number; $i < $requests; $i += CLIENTS) {
            $session = $prefix . random_int(1, SESSIONS);
            $parameters = ['ID' => $session, 'WORK' => (string) WORK, 'TIMES' => '1', 'SETTINGS' => json_encode($settings, \JSON_THROW_ON_ERROR)];
            try {
                $connection = $fpm->connect();
                $answer = $connection->request($parameters + PhpFpmServer::parameters(PAGE));
                $connection->close();
                /** @var array{n: int}|null $said */
                $said = $answer->status === 200 ? json_decode($answer->body, true) : null;
                if ($said === null) {
                    ++$failed;
                } else {
                    $counted[] = $session . ' ' . $said['n'];
                }
            } catch (ServerFailed) {
                ++$killed;
            }
        }

        return [$counted, $killed, $failed];
    });
    $counted = [];
    $killed = $failed = 0;
    foreach ($clients as $client) {
        /** @var array{list<string>, int, int} $answer */
        $answer = $client->result();
        array_push($counted, ...$answer[0]);
        $killed += $answer[1];
        $failed += $answer[2];
    }
    posix_kill($killer->process, \SIGKILL);

    return ['requests' => count($counted), 'lost' => count($counted) - count(array_unique($counted)), 'killed' => $killed, 'failed' => $failed];
};

$proof = ['requests' => 0, 'lost' => 0, 'killed' => 0, 'failed' => 0];
for ($left = $requests; $left > 0; $left -= ROUND) {
    foreach ($run(['session.save_handler' => 'larder', 'larder.session_lock_wait' => '120'], min($left, ROUND)) as $what => $number) {
        $proof[$what] += $number;
    }
}
$control = $run(['session.save_handler' => 'redis', 'session.save_path' => "unix://$redis->socket", 'redis.session.locking_enabled' => '0'], intdiv($requests, CONTROL_SHARE));
$fpm->stop();
$redis->stop();
foreach (['the engine' => $proof, 'control, phpredis without locking' => $control] as $name => $seen) {
    printf("%s: %d requests answered, %d updates lost; %d ended by a kill, %d refused\n", $name, $seen['requests'], $seen['lost'], $seen['killed'], $seen['failed']);
}
$held = [
    $proof['lost'] === 0, $proof['failed'] === 0, $proof['killed'] > 0, $proof['requests'] + $proof['killed'] === $requests,
    $control['lost'] > 0,
];
$passed = count(array_filter($held));
printf("%d passed, %d failed\n", $passed, count($held) - $passed);
exit($passed === count($held) ? 0 : 1);
