--TEST--
A process that looks for the values that it still uses finds them wherever they are held
--FILE--
<?php
require __DIR__ . '/held-anywhere.inc';
?>
--EXPECT--
36 places, pages are held
60 values, many scans that released pages
none was copied
