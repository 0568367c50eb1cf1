--TEST--
Values are read whatever larder.serializer is; without igbinary its values are misses
--EXTENSIONS--
igbinary
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

foreach (['auto' => 'igbinary', 'igbinary' => 'igbinary', 'php' => 'php'] as $setting => $used) {
    ini_set('larder.serializer', $setting);
    var_dump(larder_info()['serializer'] === $used);
    larder_store($setting, (object) ['by' => $setting]);
}
foreach (['auto', 'igbinary', 'php'] as $setting) {
    ini_set('larder.serializer', $setting);
    echo larder_fetch('auto')->by, ' ', larder_fetch('igbinary')->by, ' ', larder_fetch('php')->by, "\n";
}
var_dump(ini_set('larder.serializer', 'json'), ini_get('larder.serializer'));

// PHP without igbinary: the same command without it
$command = array_values(array_filter(php_command(), fn ($word) => !preg_match('/^"?extension="?igbinary/', $word)));
$without = [];
foreach ($command as $word) {
    if ($word === '-d' && end($without) === '-d') {
        continue;
    }
    $without[] = $word;
}
if (end($without) === '-d') {
    array_pop($without);
}
echo run([...$without, '-d', 'html_errors=0', '-r', '
    echo larder_info()["serializer"], "\n", larder_fetch("php")->by, "\n";
    var_dump(larder_fetch("igbinary", "missing"));
']);
?>
--EXPECTF--
bool(true)
bool(true)
bool(true)
auto igbinary php
auto igbinary php
auto igbinary php

Warning: larder.serializer must be auto, php or igbinary, "json" given; the value is ignored in %s on line %d
bool(false)
string(3) "php"
php
php
string(7) "missing"
