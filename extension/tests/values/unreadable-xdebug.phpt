--TEST--
With Xdebug only the unserializer's own errors are hidden from handlers
--SKIPIF--
<?php
$xdebug = __DIR__ . '/../../../var/xdebug/' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '/xdebug.so';
if (!is_file($xdebug)) {
    die('skip Xdebug is not there');
}
if (!str_contains((string) shell_exec(PHP_BINARY . ' -n -d zend_extension=' . escapeshellarg(realpath($xdebug)) . ' -m 2>/dev/null'), 'Xdebug')) {
    die('skip this Xdebug is for a PHP without threads, or with another C library');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();
$xdebug = realpath(__DIR__ . '/../../../var/xdebug/' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '/xdebug.so');
echo other_process('
    class Fewer { public $gone = 1; }
    class Wakes { public $seen; }
    class Changed { public int|string $number = "text"; }
    larder_store("fewer", [new Fewer(), new Wakes()]);
    larder_store("damaged", new ArrayObject([new Changed()]));
', ['larder.serializer' => 'php']);
foreach (['off', 'develop', 'develop,debug'] as $mode) {
    echo "-- $mode\n";
    echo other_process('
        error_reporting(E_ALL);
        class Fewer {}
        class Wakes {
            public $seen;
            function __wakeup() {
                $this->seen = error_reporting() === E_ALL;
                set_error_handler(fn () => true);
                trigger_error("heard by a handler of its own");
                restore_error_handler();
            }
        }
        class Changed { public int $number; }
        echo extension_loaded("xdebug") ? "" : "no Xdebug\n";
        set_error_handler(function (int $type, string $message) { echo "handler: $message\n"; return true; });
        echo json_encode([larder_fetch("fewer")[1]->seen, larder_fetch("damaged", "default"), error_get_last()]), "\n";
        trigger_error("of the script");
    ', ['zend_extension' => $xdebug, 'xdebug.mode' => $mode, 'xdebug.start_with_request' => 'no', 'log_errors' => 0, 'opcache.jit_buffer_size' => 0]);
}
?>
--EXPECT--
-- off
[true,"default",null]
handler: of the script
-- develop
[true,"default",null]
handler: of the script
-- develop,debug
[true,"default",null]
handler: of the script
