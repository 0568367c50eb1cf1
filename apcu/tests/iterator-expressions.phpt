--TEST--
What PCRE refuses to match is no match, and says nothing to preg_last_error()
--INI--
apc.enable_cli=1
larder.segment=iterator-expressions
pcre.jit=0
pcre.backtrack_limit=1000
--FILE--
<?php
apcu_clear_cache();
$keys = ["\xff user", 'user é', str_repeat('a', 100), 'ab'];
foreach ($keys as $key) {
    apcu_store($key, 1);
}
/** The numbers of the keys that match. */
function found(string $pattern): string
{
    global $keys;
    $found = array_map(fn($key) => array_search($key, $keys, true), array_keys(iterator_to_array(new APCUIterator($pattern))));
    sort($found);
    return implode(' ', $found);
}
preg_match('/(/', '') || var_dump(preg_last_error());
var_dump(found('/user/u'), found('/user/'), found('/^(a+)+b$/'), preg_last_error());
preg_match('/./u', "\xff");
var_dump(preg_last_error(), found('/user/u'), preg_last_error());
var_dump(apcu_delete(new APCUIterator('/user/u')), count(apcu_exists($keys)));
?>
--EXPECTF--
Warning: preg_match(): Compilation failed: missing closing parenthesis at offset 1 in %s on line %d
int(1)
string(1) "1"
string(3) "0 1"
string(1) "3"
int(1)
int(4)
string(1) "1"
int(4)
bool(true)
int(3)
