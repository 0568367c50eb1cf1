--TEST--
With apc.enabled or larder.enabled off everything is absent and nothing is stored
--FILE--
<?php
$code = <<<'PHP'
    var_dump(apcu_enabled(), apcu_store('k', 1), apcu_add(['k' => 1]), apcu_fetch('k', $found), $found, apcu_exists(['k']), apcu_delete(['k']), apcu_inc('k'), apcu_cas('k', 1, 2));
    var_dump(apcu_key_info('k'), @apcu_cache_info() === false, @apcu_sma_info() === false, apcu_entry('k', fn() => 'computed'), apcu_clear_cache());
    try {
        var_dump((new APCUIterator())->valid());
    } catch (Error $e) {
        echo $e->getMessage(), "\n";
    }
    PHP;
$command = array_slice(explode("\0", rtrim(file_get_contents('/proc/self/cmdline'), "\0")), 0, -2);
$command = array_slice($command, 0, array_search('-f', $command, true) ?: null);
foreach ([['apc.enable_cli=0'], ['apc.enable_cli=1', 'apc.enabled=0'], ['apc.enable_cli=1', 'larder.enabled=0']] as $settings) {
    $arguments = array_merge(...array_map(fn($setting) => ['-d', $setting], $settings));
    $said = shell_exec(implode(' ', array_map(escapeshellarg(...), [...$command, ...$arguments, '-r', $code])) . ' 2>&1');
    echo implode(' ', $settings), ': ', preg_replace('/\s+/', ' ', $said), "\n";
}
var_dump(ini_get('apc.enabled'), ini_get('apc.enable_cli'), ini_get('apc.shm_size'), phpversion('apcu'), extension_loaded('apcu'));
?>
--EXPECT--
apc.enable_cli=0: bool(false) bool(false) array(1) { ["k"]=> int(-1) } bool(false) bool(false) array(0) { } array(1) { [0]=> string(1) "k" } bool(false) bool(false) NULL bool(true) bool(true) NULL bool(true) APC must be enabled to use APCUIterator 
apc.enable_cli=1 apc.enabled=0: bool(false) bool(false) array(1) { ["k"]=> int(-1) } bool(false) bool(false) array(0) { } array(1) { [0]=> string(1) "k" } bool(false) bool(false) NULL bool(true) bool(true) NULL bool(true) APC must be enabled to use APCUIterator 
apc.enable_cli=1 larder.enabled=0: bool(false) bool(false) array(1) { ["k"]=> int(-1) } bool(false) bool(false) array(0) { } array(1) { [0]=> string(1) "k" } bool(false) bool(false) NULL bool(false) bool(false) string(8) "computed" bool(true) bool(false) 
string(1) "1"
string(1) "0"
string(3) "32M"
string(6) "5.1.28"
bool(true)
