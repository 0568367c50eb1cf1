<?php

// One request that lab/figures/sessions.php times and lab/updates/prove.php makes. It increments a number in the
// session. Prints as JSON the microseconds of each session_start() and of each opening and closing, and the last
// number.

declare(strict_types=1);

use Larder\Cache;
use Larder\Session\Handler;

require \dirname(__DIR__, 3) . '/vendor/autoload.php';

$parameter = static fn(string $name): string => is_string($_SERVER[$name] ?? null) ? $_SERVER[$name] : '';
ini_set('session.use_cookies', '0');
ini_set('session.cache_limiter', '');
if ($parameter('DSN') !== '') {
    session_set_save_handler(new Handler(Cache::open($parameter('DSN')), wait: 60, allowEviction: true), true);
} else {
    foreach ((array) json_decode($parameter('SETTINGS'), true) as $name => $value) {
        ini_set((string) $name, is_string($value) ? $value : '');
    }
}
$waits = $times = [];
$n = 0;
for ($time = 0; $time < (int) $parameter('TIMES'); ++$time) {
    session_id($parameter('ID'));
    $begin = hrtime(true);
    if (!session_start()) {
        http_response_code(500);
        exit;
    }
    $opened = hrtime(true);
    usleep((int) $parameter('WORK'));
    $n = is_int($_SESSION['n'] ?? null) ? $_SESSION['n'] + 1 : 1;
    $_SESSION['n'] = $n;
    $worked = hrtime(true);
    session_write_close();
    $waits[] = ($opened - $begin) / 1000;
    $times[] = ($opened - $begin + hrtime(true) - $worked) / 1000;
}
echo json_encode(['waits' => $waits, 'times' => $times, 'n' => $n], \JSON_THROW_ON_ERROR);
