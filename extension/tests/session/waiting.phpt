--TEST--
Sessions: waiting for a session is bounded, and ends when its owner is killed
--EXTENSIONS--
session
posix
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['larder.session_lock_wait' => '0.5']);
ob_start();

request('one', fn () => $_SESSION['by'] = 'nobody');
const HOLD = 'ob_start(); session_id("one"); session_start(); $_SESSION["by"] = "owner"; fwrite(STDOUT, "!"); sleep(60);';
$owner = start_process(HOLD);
fread($owner[1], 1);
posix_kill(process_id($owner), 19); // SIGSTOP

$begun = hrtime(true);
var_dump(request('one', fn () => $_SESSION['by'] = 'me'));
$seconds = (hrtime(true) - $begun) / 1e9;
var_dump($seconds > 0.45, $seconds < 10);
echo str_replace((string) process_id($owner), 'OWNER', ob_get_clean());
ob_start();

// another session does not wait
$begun = hrtime(true);
var_dump(request('two', fn () => true), hrtime(true) - $begun < 400000000);

// who waits gets it at once when the owner is killed, and nothing of the owner was written
$waiter = start_process('ob_start(); fwrite(STDOUT, "!"); var_dump(request("one", fn () => $_SESSION["by"]));', ['larder.session_lock_wait' => 60]);
fread($waiter[1], 1);
usleep(300000);
$begun = hrtime(true);
posix_kill(process_id($owner), 9);
echo finish_process($waiter);
var_dump(hrtime(true) - $begun < 10000000000);
finish_process($owner);

// without waiting
$owner = start_process(HOLD);
fread($owner[1], 1);
ini_set('larder.session_lock_wait', '0');
var_dump(@request('one', fn () => true));
posix_kill(process_id($owner), 9);
finish_process($owner);
var_dump(request('one', fn () => $_SESSION['by']));
?>
--EXPECTF--
Warning: session_start(): The session is locked by process OWNER, and was not released within 0.5 s (larder.session_lock_wait) in %s on line %d

Warning: session_start(): Failed to read session data: larder (path: %S) in %s on line %d
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
string(6) "nobody"
bool(true)
bool(false)
string(6) "nobody"
