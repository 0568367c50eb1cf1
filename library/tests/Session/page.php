<?php

// One request of a session, as RequestsTest asks for it.

declare(strict_types=1);

use Larder\Cache;
use Larder\Session\Handler;

require \dirname(__DIR__, 3) . '/vendor/autoload.php';

// DSN is not there in the control, which takes PHP's own setting.
if (isset($_SERVER['DSN'])) {
    session_set_save_handler(new Handler(
        Cache::open($_SERVER['DSN']),
        wait: (float) ($_SERVER['WAIT'] ?? Handler::WAIT),
        lockSeconds: (float) ($_SERVER['LOCK_SECONDS'] ?? Handler::LOCK_SECONDS),
        allowEviction: true,
    ), true);
}
session_start($_SERVER['QUERY_STRING'] === 'look' ? ['read_and_close' => true] : []);
$n = is_int($_SESSION['n'] ?? null) ? $_SESSION['n'] : 0;
switch ($_SERVER['QUERY_STRING']) {
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
        file_put_contents($_SERVER['BEGUN'] . '.new', (string) getmypid());
        rename($_SERVER['BEGUN'] . '.new', $_SERVER['BEGUN']);
        while (!file_exists($_SERVER['END'])) {
            usleep(1000);
            clearstatcache();
        }
        break;
    case 'fail':
        $_SESSION['n'] = ++$n;
        throw new RuntimeException('as applications do');
    case 'use up all memory':
        for ($all = [];;) {
            $all[] = $all;
            $all[] = 'a string of ' . count($all);
        }
}
echo session_id(), ' ', $n, ' ', getmypid();
