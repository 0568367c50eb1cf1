--TEST--
A child without a free process record has no cache, and reports it
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M', 'larder.processes' => 1]);

larder_store('value', 1);
if (($process = pcntl_fork()) === 0) {
    var_dump(larder_fetch('value', 'missing'), larder_store('value', 2), larder_last_error_msg());
    $info = larder_info();
    var_dump($info['available'], isset($info['path']), $info['reason']);
    ob_start();
    phpinfo(INFO_MODULES);
    preg_match('/^Larder => (.*)$/m', ob_get_clean(), $match);
    var_dump($match[1] ?? null);
    exit(0);
}
pcntl_waitpid($process, $status);
var_dump(pcntl_wifsignaled($status), larder_fetch('value'), larder_info()['available']);
?>
--EXPECT--
string(7) "missing"
bool(false)
string(99) "No cache is available: all process records are in use; raise larder.processes and run larder resize"
bool(false)
bool(false)
string(76) "all process records are in use; raise larder.processes and run larder resize"
string(13) "not available"
bool(false)
int(1)
bool(true)
