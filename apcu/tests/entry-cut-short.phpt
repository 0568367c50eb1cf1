--TEST--
apcu_entry(): a callback that is cut short keeps nobody waiting, nor does a child that it forked
--EXTENSIONS--
pcntl
posix
--INI--
apc.enable_cli=1
larder.segment=entry-cut-short
--FILE--
<?php
apcu_clear_cache();

/** What another process gets; it would wait as long as this one has the claim. */
function other(string $key): mixed
{
    apcu_delete('got');
    $child = pcntl_fork();
    if ($child === 0) {
        apcu_store('got', apcu_entry($key, fn() => 'computed'));
        posix_kill(getmypid(), SIGKILL); // without the end of the script
    }
    pcntl_waitpid($child, $status);

    return apcu_fetch('got');
}

apcu_entry('forks', function () {
    var_dump(other('forks'), other('another'));
});

try {
    apcu_entry('throws', fn() => throw new Exception('no value'));
} catch (Exception) {
    var_dump(other('throws'));
}

$fiber = new Fiber(fn() => apcu_entry('suspended', fn() => Fiber::suspend()));
$fiber->start();
unset($fiber);
gc_collect_cycles();
var_dump(other('suspended'));

register_shutdown_function(function () {
    var_dump(other('outer'), other('inner'));
});
ini_set('display_errors', '0');
echo "fatal error\n";
apcu_entry('outer', fn() => apcu_entry('inner', fn() => trigger_error('the end', E_USER_ERROR)));
?>
--EXPECT--
string(8) "computed"
string(8) "computed"
string(8) "computed"
string(8) "computed"
fatal error
string(8) "computed"
string(8) "computed"
