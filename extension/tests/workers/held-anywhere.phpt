--TEST--
A process that looks for the values that it still uses finds them wherever they are held
--SKIPIF--
<?php
getenv('LARDER_EMULATED') && die('skip QEMU knows no process_vm_readv()');
?>
--FILE--
<?php
require __DIR__ . '/held-anywhere.inc';
?>
--EXPECTF--
36 places, pages are held
%d values, many scans that released pages
none was copied
