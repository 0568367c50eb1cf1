--TEST--
larder.default_ttl applies to stores without a ttl
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

function ttl(string $key): string
{
    return sprintf('%.0f', larder_key_info($key)['ttl']);
}
function ttls(): void
{
    larder_clear();
    larder_store('store', 1);
    larder_store('null', 1, null);
    larder_store('own', 1, 50);
    larder_store('never', 1, 0);
    larder_store_multiple(['store_multiple' => 1]);
    larder_add('add', 1);
    larder_add_multiple(['add_multiple' => 1]);
    larder_store('replace', 1, 50);
    larder_replace('replace', 2);
    larder_store('cas', 1, 50);
    larder_fetch_cas('cas', null, $cas);
    larder_store_cas('cas', 2, $cas);
    larder_increment('increment');
    larder_store('counted', 1, 50);
    larder_increment('counted');
    foreach (['store', 'null', 'own', 'never', 'store_multiple', 'add', 'add_multiple', 'replace', 'cas', 'increment', 'counted'] as $key) {
        echo $key, ' ', ttl($key), ' ';
    }
    echo "\n";
}
ttls();
var_dump(ini_set('larder.default_ttl', '600'));
ttls();
foreach (['-1', 'soon', '1,5', 'NAN', ''] as $bad) {
    var_dump(@ini_set('larder.default_ttl', $bad));
}
var_dump(ini_get('larder.default_ttl'));
ini_set('larder.default_ttl', '0.05');
larder_store('short', 1);
larder_store('long', 1, 0);
usleep(70_000);
var_dump(larder_exists('short'), larder_exists('long'));
ini_restore('larder.default_ttl');
larder_store('k', 1);
echo ttl('k'), "\n";
echo other_process('larder_store("k", 1); var_dump(larder_key_info("k")["ttl"] > 50);', ['larder.default_ttl' => 60]);
?>
--EXPECT--
store 0 null 0 own 50 never 0 store_multiple 0 add 0 add_multiple 0 replace 0 cas 0 increment 0 counted 50 
string(1) "0"
store 600 null 600 own 50 never 0 store_multiple 600 add 600 add_multiple 600 replace 600 cas 600 increment 600 counted 50 
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
string(3) "600"
bool(false)
bool(true)
0
bool(true)
