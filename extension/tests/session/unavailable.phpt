--TEST--
Sessions: a visitor keeps the cookie of a session that cannot be looked for
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../requests.inc';
own_cache(['session.save_handler' => 'larder', 'session.use_strict_mode' => '1', 'larder.processes' => '1', 'larder.session_size' => '8M']);
ob_start();

session_start(['use_cookies' => false]);
$_SESSION['user'] = 'somebody';
session_write_close();
$id = session_id();

$directory = getenv('LARDER_TEST_CACHE') . '/site';
mkdir($directory);
file_put_contents("$directory/page.php", '<?php
    $_COOKIE["PHPSESSID"] = $_GET["id"];
    $isStarted = @session_start();
    echo $isStarted ? "started" : "not started", ", ", preg_grep("/^Set-Cookie/", headers_list()) ? "another cookie" : "no cookie", "\n";');

/** What a visitor with this id gets from a process that has no record while this one runs. */
function visit(string $directory, string $id, array $settings = []): string
{
    $server = new Server($directory, $settings);
    $said = $server->get("page.php?id=$id");
    $server->stop();

    return $said;
}
echo visit($directory, $id);
echo visit($directory, $id, ['larder.segment' => 'other']);
session_start(['use_cookies' => false]);
var_dump($_SESSION['user']);
?>
--EXPECT--
not started, no cookie
started, another cookie
string(8) "somebody"
