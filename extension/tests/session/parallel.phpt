--TEST--
Sessions: parallel requests of one session lose no update, although processes are killed
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions();
ob_start();

const WORKERS = 4, REQUESTS = 1500, KILLS = 12;

// Each update is a line of output, once it is written. Without the lock another process comes in at the usleep().
const WORK = 'ob_start(); for ($i = 0; $i < %d; $i++) { request("one", function () {
    $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1; if ($_SESSION["n"] %% 50 === 0) { usleep(500); } });
    fwrite(STDOUT, "."); }';

$workers = [];
for ($i = 0; $i < WORKERS; $i++) {
    $workers[] = start_process(sprintf(WORK, REQUESTS));
}
$done = 0;
for ($i = 0; $i < KILLS; $i++) {
    $victim = start_process(sprintf(WORK, 1000000));
    $done += strlen((string) fread($victim[1], 1));
    usleep(random_int(0, 20000));
    proc_terminate($victim[0], 9);
    $done += strlen(finish_process($victim));
}
$said = implode('', array_map(finish_process(...), $workers));
echo str_replace('.', '', $said);
$done += substr_count($said, '.');
$counted = request('one', fn () => $_SESSION['n']);
echo $done >= WORKERS * REQUESTS ? "thousands of requests\n" : "only $done requests\n";
// A killed process may have written an update that it did not tell of.
echo $counted >= $done && $counted <= $done + KILLS ? "none lost\n" : "$done updates, $counted counted\n";
?>
--EXPECT--
thousands of requests
none lost
