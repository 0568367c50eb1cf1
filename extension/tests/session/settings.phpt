--TEST--
Sessions: a segment of another size is kept, and the log tells how to change it
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions();
ob_start();

request('one', fn () => $_SESSION['here'] = 1);
$started = start_process('request("one", fn () => print(json_encode($_SESSION)));', ['larder.session_size' => '16M', 'error_log' => '', 'log_errors' => '1']);
echo finish_process($started);
?>
--EXPECTF--
%Alarder: the segment was made with larder.session_size=8M (here 16M); to end all sessions and replace it, stop PHP and remove %s/default.sessions-%x
{"here":1}
