--TEST--
A fetched value is exported and dumped
--FILE--
<?php
require __DIR__ . '/../anything.inc';

ob_start();
foreach (sources() as $name => $_) {
    $value = stored($name);
    var_dump($value);
    var_export($value);
    print_r($value);
    debug_zval_refcount($value);
    debug_print_backtrace();
    $exported = var_export($value, true);
    $exported .= ';';
    $evaluated = eval("return $exported");
    if (is_array($evaluated)) {
        $evaluated[] = 1;
    }
}
ob_end_clean();
function debug_zval_refcount(mixed $value): void
{
    debug_zval_refcount_inner($value, $value);
}
function debug_zval_refcount_inner(mixed ...$values): void
{
    debug_zval_dump(...$values);
    $values[0] = null;
}

unchanged();
?>
--EXPECT--
unchanged
