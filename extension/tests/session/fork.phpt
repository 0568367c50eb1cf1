--TEST--
Sessions: after a fork the parent has the session, and the child does not write it
--EXTENSIONS--
session
pcntl
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['larder.session_lock_wait' => '0']);
ob_start();

session_id('one');
session_start();
$_SESSION['by'] = 'parent';
if (pcntl_fork() === 0) {
    $_SESSION['by'] = 'child';
    session_write_close();
    exit(0);
}
pcntl_wait($status);
// it is still locked
echo other_process('ob_start(); session_id("one"); var_dump(@session_start());');
$_SESSION['more'] = 1;
session_write_close();
echo other_process('ob_start(); session_id("one"); session_start(); echo json_encode($_SESSION), "\n";');
?>
--EXPECTF--
Warning: session_write_close(): This process does not hold the lock of the session (any more), and does not write it: it has forked, changed its user, or the segment was removed in %s on line %d

Warning: session_write_close(): Failed to write session data %s in %s on line %d
bool(false)
{"by":"parent","more":1}
