--TEST--
Sessions: what a request has read and locks no more is nothing to the next one, though the handler closes nothing
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../requests.inc';
own_cache(['session.save_handler' => 'larder', 'session.use_strict_mode' => '0']);

$directory = getenv('LARDER_TEST_CACHE') . '/site';
mkdir($directory);
file_put_contents("$directory/handler.php", '<?php
    final class ClosesNothing extends SessionHandler
    {
        public function close(): bool
        {
            return true;
        }
    }
    $handler = new ClosesNothing();
    session_set_save_handler($handler, true);
    session_id($_GET["id"]);
    session_start();');
file_put_contents("$directory/read.php", '<?php require "handler.php"; array_map($handler->read(...), range("a", "h")); echo "read, ", json_encode(@$handler->write("g", ""));');
file_put_contents("$directory/write.php", '<?php require "handler.php"; echo json_encode([$handler->write("g", "n|i:1;"), $handler->read("g")]);');
$server = new Server($directory, ['session.use_cookies' => 0]);
echo $server->get('read.php?id=one'), "\n", $server->get('write.php?id=two'), "\n", $server->get('read.php?id=one'), "\n";
$server->stop();
?>
--EXPECT--
read, false
[true,"n|i:1;"]
read, false
