--TEST--
Functions that write into their arguments, or count references to them, get copies
--EXTENSIONS--
sockets
sqlite3
--FILE--
<?php
require __DIR__ . '/../anything.inc';

$classes = ['allowed_classes' => PHP_VERSION_ID < 80400 ? [1, 2.5, true, 'ArrayObject'] : ['One', 'ArrayObject']];
larder_store('classes', $classes);
larder_store('options', ['linger' => ['l_onoff' => '1', 'l_linger' => 2.5], 'time' => ['sec' => '1', 'usec' => true]]);
larder_store('call back', implode('', ['str', 'toupper']));
larder_store('call back of a class', ['Stored_Authorizer', 'authorize']);
class Stored_Authorizer
{
    public static function authorize(): int
    {
        return SQLite3::OK;
    }
}

$kept = serialize($classes);
$options = larder_fetch('options');
$classes = larder_fetch('classes');
$socket = socket_create(AF_INET, SOCK_STREAM, SOL_TCP);
$database = new SQLite3(':memory:');
// directly, as a closure, by name, and in a loop that is compiled
$calls = [
    'unserialize' => fn (callable $f) => get_class($f('O:11:"ArrayObject":4:{i:0;i:0;i:1;a:0:{}i:2;a:0:{}i:3;N;}', $classes)) === 'ArrayObject',
    'socket_set_option' => fn (callable $f) => $f($socket, SOL_SOCKET, SO_LINGER, $options['linger']) && $f($socket, SOL_SOCKET, SO_RCVTIMEO, $options['time']),
    'socket_setopt' => fn (callable $f) => $f($socket, SOL_SOCKET, SO_LINGER, $options['linger']) && $f($socket, SOL_SOCKET, SO_SNDTIMEO, $options['time']),
];
foreach ($calls as $name => $call) {
    for ($i = 0; $i < 20; $i++) {
        foreach ([$name, $name(...), fn (...$arguments) => call_user_func_array($name, $arguments)] as $f) {
            $call($f) || print "$name failed\n";
        }
    }
}
$used = array_fill(0, 20, 0);
for ($i = 0; $i < 20; $i++) {
    // nothing is left behind
    unserialize('i:1;', $classes);
    socket_set_option($socket, SOL_SOCKET, SO_LINGER, $options['linger']);
    $database->setAuthorizer(larder_fetch('call back'));
    $database->setAuthorizer(larder_fetch('call back of a class'));
    $database->query('select 1');
    $used[$i] = memory_get_usage();
}
echo $used[19] === $used[10] ? '' : "memory is lost\n";
// in a separate array, and behind a reference
$linger = larder_fetch('options')['linger'];
$mine = ['allowed_classes' => &$classes['allowed_classes'], 'more' => [$linger]];
unserialize('i:1;', $mine);
$itself = ['allowed_classes' => false, 'more' => $options];
$itself['itself'] = &$itself;
unserialize('i:1;', $itself);

serialize(larder_fetch('classes')) === $kept || print "the classes have changed\n";
larder_fetch('options') === ['linger' => ['l_onoff' => '1', 'l_linger' => 2.5], 'time' => ['sec' => '1', 'usec' => true]] || print "the options have changed\n";
unchanged();
?>
--EXPECT--
unchanged
