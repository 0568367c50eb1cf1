--TEST--
APCUIterator finds keys by expressions and lists
--INI--
apc.enable_cli=1
larder.segment=iterator
--FILE--
<?php
apcu_clear_cache();
$keys = ['user:1', 'user:2', 'user.3', 'User:4', 'page:1', 'u', "user:\n", 'use', 'x|user:', '/user:', 'uer:'];
foreach ($keys as $key) {
    apcu_store($key, "value of $key", 50);
}

/** What an expression means: the keys that preg_match() finds. */
function check(string $pattern): void
{
    global $keys;
    $found = array_keys(iterator_to_array(new APCUIterator($pattern, APC_ITER_NONE)));
    $right = array_values(array_filter($keys, fn($key) => preg_match($pattern, $key) === 1));
    sort($found);
    sort($right);
    if ($found !== $right || (new APCUIterator($pattern))->getTotalCount() !== count($right)) {
        echo "$pattern found "; var_dump($found);
    }
}
$patterns = ['/^user:/', '#^user:#', '{^user:}', '{user:}A', '/^user\:/', '/^user./', '/^user\./', '/^user:/i', '/^ user:/x', '/^user:/m',
    '/^user:/u', '/^user:|page/', '/^user:?/', '/^user:*/', '/^user:+/', '/^user:{0}/', '/^user:{/', '/^user:.*/', '/^user:.+/', '/^user:$/',
    '/^user:\d+$/', '/^user:\n/', '/^user:\R/', '/^\/user/', '/user/', '/^/', '//', '/^(user|page):/', '/^[u]/', '/^user:/D', " /^user:/ ", '/^user:/s', '/^u\x73er/',
    '/^use\Qr:\E/', '/^' . preg_quote('user:', '/') . '/', '~^x\|~', '/^x|y/', '/^x\|/', '/^\Au/', '/^u^/', '/^u\\\\/', "/^user:\n/", '/^é?u/', '/^é*/u', '((^user:))',
    '/^us(?#none or more)*er:/', '/^us\E*er:/', '/^us\Q\E?er:/', '/^us(?#one)er:/'];
array_map(check(...), $patterns);
echo count($patterns), " expressions\n";

echo "lists\n";
print_r(array_keys(iterator_to_array(new APCUIterator(['u', 'none', 'use', 'u', 1], APC_ITER_KEY))));
var_dump((new APCUIterator(['u', 'none', 'use']))->getTotalCount(), (new APCUIterator(null, APC_ITER_ALL, 0, APC_LIST_DELETED))->valid());

echo "an item\n";
$item = (new APCUIterator(['u']))->current();
var_dump(array_keys($item), $item['value'], $item['ttl'], abs($item["creation_time"] - time()) < 60, $item['mem_size'] > 0);
print_r((new APCUIterator('/^u$/', APC_ITER_KEY | APC_ITER_VALUE | APC_ITER_TYPE))->current());

echo "walking\n";
$iterator = new APCUIterator(['u', 'use'], APC_ITER_VALUE);
$iterator->next(); // does nothing before the first
var_dump($iterator->key(), apcu_delete('u'), $iterator->current(), $iterator->key());
$iterator->next();
var_dump($iterator->valid(), $iterator->key());
$iterator->next();
var_dump($iterator->valid());
foreach (['key', 'current'] as $method) {
    try {
        $iterator->$method();
    } catch (Error $e) {
        echo $e->getMessage(), "\n";
    }
}
$iterator->rewind();
var_dump($iterator->key());

echo "without a rewind\n";
print_r(array_keys(iterator_to_array(new NoRewindIterator(new APCUIterator(['use', 'page:1'])))));
var_dump((new NoRewindIterator(new APCUIterator(['use'])))->key(), (new NoRewindIterator(new APCUIterator(['use'], APC_ITER_VALUE)))->current());
foreach (['key', 'current'] as $method) {
    try {
        (new NoRewindIterator(new APCUIterator(['none'])))->$method();
    } catch (Error $e) {
        echo $e->getMessage(), "\n";
    }
}

echo "deleting\n";
var_dump(apcu_delete(new APCUIterator('/^user:/')), apcu_delete(new APCUIterator('/ag/')), apcu_delete(new APCUIterator(['use'])));
$left = array_keys(iterator_to_array(new APCUIterator()));
sort($left);
echo implode(' ', $left), "\n";
var_dump(apcu_delete(new APCUIterator()), (new APCUIterator())->getTotalCount());

echo "misuse\n";
class Half extends APCUIterator
{
    public function __construct() {}
}
foreach ([fn() => (new Half())->valid(), fn() => clone new APCUIterator(), fn() => new APCUIterator(null, APC_ITER_ALL, 0, 3), fn() => apcu_delete(new Half())] as $misuse) {
    try {
        $misuse();
    } catch (Error $e) {
        echo $e->getMessage(), "\n";
    }
}
new APCUIterator('/(/');
?>
--EXPECTF--
49 expressions
lists
Array
(
    [0] => u
    [1] => use
)
int(2)
bool(false)
an item
array(11) {
  [0]=>
  string(4) "type"
  [1]=>
  string(3) "key"
  [2]=>
  string(5) "value"
  [3]=>
  string(8) "num_hits"
  [4]=>
  string(5) "mtime"
  [5]=>
  string(13) "creation_time"
  [6]=>
  string(13) "deletion_time"
  [7]=>
  string(11) "access_time"
  [8]=>
  string(9) "ref_count"
  [9]=>
  string(8) "mem_size"
  [10]=>
  string(3) "ttl"
}
string(10) "value of u"
int(50)
bool(true)
bool(true)
Array
(
    [type] => user
    [key] => u
    [value] => value of u
)
walking
string(1) "u"
bool(true)
array(1) {
  ["value"]=>
  string(10) "value of u"
}
string(1) "u"
bool(true)
string(3) "use"
bool(false)
Cannot call key() on invalid iterator
Cannot call current() on invalid iterator
string(3) "use"
without a rewind
Array
(
    [0] => use
    [1] => page:1
)
string(3) "use"
array(1) {
  ["value"]=>
  string(12) "value of use"
}
Cannot call key() on invalid iterator
Cannot call current() on invalid iterator
deleting
bool(true)
bool(true)
bool(true)
/user: User:4 uer: user.3 x|user:
bool(true)
int(0)
misuse
Trying to use uninitialized APCUIterator
Trying to clone an uncloneable object of class APCUIterator

Warning: APCUIterator::__construct(): APCUIterator invalid list type in %s on line %d
Trying to use uninitialized APCUIterator

Warning: APCUIterator::__construct(): Compilation failed: %s

Fatal error: APCUIterator::__construct(): Could not compile regular expression: /(/ in %s on line %d
