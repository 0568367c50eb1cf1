--TEST--
No process attaches while PHP preloads
--SKIPIF--
<?php if (!extension_loaded('Zend OPcache')) { die('skip needs opcache'); } ?>
--FILE--
<?php
require __DIR__ . '/../requests.inc';
own_cache();

$directory = getenv('LARDER_TEST_CACHE');
file_put_contents("$directory/preload.php", '<?php
    function mapped(): bool { return str_contains(file_get_contents("/proc/self/maps"), "larder-" . posix_uid()); }
    function posix_uid(): string { preg_match("/^Uid:\s+\d+\s+(\d+)/m", file_get_contents("/proc/self/status"), $m); return $m[1]; }
    $said = [larder_store("preloaded", 1), larder_fetch("preloaded", "missing"), larder_info()["available"], larder_info()["reason"], mapped()];
    register_shutdown_function(function () use ($said) {
        file_put_contents(__DIR__ . "/said", json_encode([...$said, larder_store("late", 1), mapped()]));
    });
');
file_put_contents("$directory/request.php", '<?php echo json_encode([mapped(), larder_fetch("preloaded", "missing"), larder_store("k", 1), larder_fetch("k"), mapped()]);');
$server = new Server($directory, ['opcache.preload' => "$directory/preload.php", 'opcache.preload_user' => trim(shell_exec('id -un')), 'opcache.enable' => 1]);
echo file_get_contents("$directory/said"), "\n", $server->get('request.php'), "\n";
$server->stop();
?>
--EXPECT--
[false,"missing",false,"no cache is available while PHP preloads",false,false,false]
[false,"missing",true,1,true]
