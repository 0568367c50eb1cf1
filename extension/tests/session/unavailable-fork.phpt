--TEST--
Sessions: a visitor keeps the cookie of a session that cannot be looked for in a process that has forked
--EXTENSIONS--
session
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../requests.inc';
own_cache(['session.save_handler' => 'larder', 'session.use_strict_mode' => '1', 'larder.processes' => '1', 'larder.session_size' => '8M']);

$directory = getenv('LARDER_TEST_CACHE') . '/site';
mkdir($directory);
file_put_contents("$directory/page.php", '<?php
    $_COOKIE["PHPSESSID"] = $_GET["id"] ?? null;
    session_start(isset($_GET["id"]) ? [] : ["use_cookies" => false]);
    $_SESSION["n"] = ($_SESSION["n"] ?? 0) + 1;
    $said = [session_id(), $_SESSION["n"]];
    session_write_close();
    if (isset($_GET["fork"])) { // the child keeps the only record until it runs, so one that ran first gives way to another
        for ($tries = 0, $started = true; $started && $tries < 1000; $tries++) {
            $child = pcntl_fork();
            if ($child === 0) {
                sleep(600);
            }
            $warnings = [];
            set_error_handler(function ($level, $message) use (&$warnings) { $warnings[] = $message; });
            $started = session_start();
            $started && session_abort();
            posix_kill($child, 9);
            pcntl_waitpid($child, $status);
        }
        $said[] = $started;
        $said[] = $warnings[0] ?? null;
        $said[] = preg_grep("/^Set-Cookie: PHPSESSID=(?!$_GET[id])/", headers_list());
    }
    echo json_encode($said);');

$server = new Server($directory, ['display_errors' => 0]);
[$id] = json_decode($server->get('page.php'));
$said = json_decode($server->get("page.php?fork=1&id=$id"));
var_dump(array_shift($said) === $id, $said, json_decode($server->get("page.php?id=$id")) === [$id, 3]);
$server->stop();
?>
--EXPECT--
bool(true)
array(4) {
  [0]=>
  int(2)
  [1]=>
  bool(false)
  [2]=>
  string(140) "session_start(): Larder cannot keep sessions: all process records are in use; raise larder.processes, stop PHP and remove the segment's file"
  [3]=>
  array(0) {
  }
}
bool(true)
