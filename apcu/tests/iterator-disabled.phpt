--TEST--
apcu_delete() refuses an iterator of the disabled class
--SKIPIF--
<?php if (PHP_VERSION_ID >= 80500) die('skip PHP 8.5 cannot disable classes'); ?>
--INI--
apc.enable_cli=1
disable_classes=APCUIterator
--FILE--
<?php
require __DIR__ . '/../../extension/tests/support.inc';
own_cache();
apcu_store('a', 1);
$iterator = @new APCUIterator('/./');
apcu_delete($iterator);
?>
--EXPECTF--
Fatal error: apcu_delete(): apc_delete object argument must be instance of APCUIterator. in %s on line %d
[exit code 255]
