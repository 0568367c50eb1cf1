--TEST--
Without the engine the functions find an empty cache that refuses each store
--FILE--
<?php
$command = explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0"));
$module = current(preg_grep('~/apcu\.so$~', $command));
$code = <<<'PHP'
    var_dump(extension_loaded('apcu'), function_exists('apcu_fetch'));
    var_dump(apcu_enabled(), apcu_store('k', 1), apcu_fetch('k'), apcu_exists('k'), apcu_inc('k'), apcu_delete('k'), apcu_key_info('k'), apcu_entry('k', fn() => 1));
    PHP;
echo shell_exec(implode(' ', array_map(escapeshellarg(...), [PHP_BINARY, '-n', '-d', 'display_startup_errors=0', '-d', $module, '-r', $code])) . ' 2>/dev/null');
?>
--EXPECT--
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
NULL
NULL
