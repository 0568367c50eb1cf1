--TEST--
A value with an object that was incomplete when it was stored comes back as unserialize() would return it
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

$bytes = 'a:2:{i:0;O:4:"Gone":1:{s:1:"a";i:1;}s:4:"more";O:8:"stdClass":1:{s:5:"inner";O:4:"Lost":0:{}}}';
foreach (['auto', 'php', 'igbinary'] as $serializer) {
    ini_set('larder.serializer', $serializer);
    var_dump(larder_store('k', unserialize($bytes)));
    foreach (fetch_both('k') as $how => $found) {
        echo "$how: ", $found[0]::class, ', ', var_export(serialize($found) === $bytes, true), "\n";
    }
}
echo other_process('class Gone { public $a; } echo get_class(larder_fetch("k")[0]), "\n";');

echo "-- one that was whole when it was stored is still a miss where its class is missing\n";
class Here {}
larder_store('k', [new Here(), new DateTime('@0')]);
echo other_process('echo larder_fetch("k", "miss"), "\n";');

echo "-- with limited classes, it is a miss: its class may be another\n";
larder_store('k', unserialize($bytes));
ini_set('larder.classes', 'stdClass,Here');
echo json_encode(larder_fetch('k', 'miss')), "\n";
larder_store('k', [unserialize($bytes), new Here()]);
echo json_encode(larder_fetch('k', 'miss')), "\n";
?>
--EXPECT--
bool(true)
pointed to: __PHP_Incomplete_Class, true
copied: __PHP_Incomplete_Class, true
bool(true)
pointed to: __PHP_Incomplete_Class, true
copied: __PHP_Incomplete_Class, true
bool(true)
pointed to: __PHP_Incomplete_Class, true
copied: __PHP_Incomplete_Class, true
Gone
-- one that was whole when it was stored is still a miss where its class is missing
miss
-- with limited classes, it is a miss: its class may be another
"miss"
"miss"
