<?php

// One request of a session, as RequestsTest asks for it.

declare(strict_types=1);

use Larder\Cache;
use Larder\Session\Handler;

require \dirname(__DIR__, 3) . '/vendor/autoload.php';

$parameter = static fn(string $name, int|string $default = ''): string
    => is_string($_SERVER[$name] ?? null) ? $_SERVER[$name] : (string) $default;
// DSN is not there in the control, which takes PHP's own setting.
if ($parameter('DSN') !== '') {
    session_set_save_handler(new Handler(
        Cache::open($parameter('DSN')),
        wait: (float) $parameter('WAIT', Handler::WAIT),
        lockSeconds: (float) $parameter('LOCK_SECONDS', Handler::LOCK_SECONDS),
        allowEviction: true,
    ), true);
}
session_start($parameter('QUERY_STRING') === 'look' ? ['read_and_close' => true] : []);
$n = is_int($_SESSION['n'] ?? null) ? $_SESSION['n'] : 0;
switch ($parameter('QUERY_STRING')) {
    case 'count':
        usleep(200); // work, in which others come
        $_SESSION['n'] = ++$n;
        session_write_close();
        break;
    case 'count and end': // PHP closes the session
        $_SESSION['n'] = ++$n;
        break;
    case 'regenerate':
        session_regenerate_id();
        $_SESSION['n'] = ++$n;
        break;
    case 'log in':
        session_regenerate_id(true);
        $_SESSION['n'] = ++$n;
        break;
    case 'log out':
        session_destroy();
        break;
    case 'hold':
    case 'count late':
        $_SESSION['n'] = ++$n;
        file_put_contents($parameter('BEGUN') . '.new', (string) getmypid());
        rename($parameter('BEGUN') . '.new', $parameter('BEGUN'));
        while (!file_exists($parameter('END'))) {
            usleep(1000);
            clearstatcache();
        }
        break;
    case 'fail':
        $_SESSION['n'] = ++$n;
        throw new RuntimeException('as applications do');
    case 'use up the last of memory': // in steps that leave nothing
        for ($all = null;;) {
            $all = [$all, str_repeat('x', 4000)];
        }
        // no break
    case 'use up all memory':
        for ($all = [];;) {
            $all[] = $all;
            $all[] = 'a string of ' . count($all);
        }
}
echo session_id(), ' ', $n, ' ', getmypid();
