--TEST--
A fetched value is evaluated and included
--FILE--
<?php
require __DIR__ . '/../anything.inc';

for ($i = 0; $i < 3; $i++) {
    $made = eval(stored('code'));
    $made(stored('text'));
}
eval('class Of' . ucfirst(stored('word')) . ' { const TEXT = "x"; public $p = [1]; }');
$class = 'Of' . stored('word');
$object = new $class();
$object->p[] = stored('rows');
$object->p[1][0]['name'] = 'changed';
$name = stored('names')['function'];
eval("function $name(array \$a = [1]) { static \$s; \$s = \$a; return \$s; }");
$returned = $name(stored('rows'));
$returned[0]['name'] = 'changed';
$file = tempnam(sys_get_temp_dir(), 'larder');
file_put_contents($file, '<?php ' . stored('code'));
for ($i = 0; $i < 3; $i++) {
    (include $file)(stored('text'));
}
unlink($file);
$file = tempnam(sys_get_temp_dir(), 'larder');
file_put_contents($file, '<?php return ' . var_export(stored('rows'), true) . ';');
$included = include $file;
$included[0]['name'] = 'changed';
unlink($file);
token_get_all_of(stored('code'));
function token_get_all_of(string $code): void
{
    highlight_string($code, true);
    php_strip_whitespace(__FILE__);
}

unchanged();
?>
--EXPECT--
unchanged
