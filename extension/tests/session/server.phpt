--TEST--
Sessions: parallel requests to a web server, which end in every way
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../requests.inc';
own_cache(['session.save_handler' => 'larder', 'session.use_strict_mode' => '0', 'larder.session_lock_wait' => '20']);

$directory = getenv('LARDER_TEST_CACHE') . '/site';
mkdir($directory);
$scripts = [
    'end' => '',
    'exit' => 'exit();',
    'error' => 'trigger_error("fatal", E_USER_ERROR);',
    'exception' => 'throw new Exception("uncaught");',
    'memory' => 'ini_set("memory_limit", "8M"); str_repeat("x", 1 << 26);',
];
foreach ($scripts as $name => $end) {
    file_put_contents("$directory/$name.php", "<?php ini_set('display_errors', '0'); error_reporting(0); \$_SESSION['n'] = (\$_SESSION['n'] ?? 0) + 1; usleep(200); $end");
}
file_put_contents("$directory/count.php", '<?php echo $_SESSION["n"];');

putenv('PHP_CLI_SERVER_WORKERS=4');
foreach ([1, 0] as $auto) {
    foreach (glob("$directory/*.php") as $file) {
        $auto || file_put_contents($file, str_replace('<?php ', '<?php session_start(); ', file_get_contents($file)));
    }
    $server = new Server($directory, ['session.auto_start' => $auto, 'session.use_cookies' => 0, 'session.use_only_cookies' => 0,
        'session.use_trans_sid' => 0, 'error_reporting' => 0, 'html_errors' => 0]);
    $names = array_keys($scripts);
    $sent = 0;
    for ($round = 0; $round < 25; $round++) {
        $open = [];
        for ($i = 0; $i < 10; $i++) {
            $open[] = $server->send($names[$sent++ % count($names)] . ".php?PHPSESSID=of$auto");
        }
        foreach ($open as $connection) {
            stream_get_contents($connection);
        }
    }
    var_dump($sent === (int) $server->get("count.php?PHPSESSID=of$auto"));
    $server->stop();
}
?>
--EXPECT--
bool(true)
bool(true)
