--TEST--
A fetched value is used in arithmetic
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$number = stored('number');
$number++;
++$number;
$number .= '';
$float = stored('float');
$float *= 2;
$word = stored('word');
for ($i = 0; $i < 30; $i++) {
    $word++;
}
$z = substr(stored('character') . 'zz', 1);
$z++;
foreach (['text', 'word', 'binary', 'long'] as $name) {
    $bits = stored($name);
    $bits |= stored('text');
    $bits = stored($name);
    $bits ^= stored($name);
    $bits = stored($name) & stored('long');
    $bits = ~stored($name);
    $bits[0] = 'X';
}
$sum = stored('number') + stored('float') - stored('number') * 3 ** 2 / stored('float') % 5;
$list = stored('numbers');
$list[0]++;
$list[1] .= 'x';
$list[2] **= 2;
$list[3] ??= 5;
$list[200] ??= stored('text');
$list += stored('rows');
try {
    $error = stored('list') - 1;
} catch (TypeError) {
    $map = stored('map');
    $map['alpha'][0]++;
    $map['alpha'][0] -= 5;
}
PHP_INT_MAX + stored('number');
-stored('number');
+stored('float');
!stored('text');
array_sum(array_fill(0, 9, stored('number')));
[stored('number') <=> 42, stored('number') == '42.0', stored('text') == 0];

unchanged();
?>
--EXPECT--
unchanged
