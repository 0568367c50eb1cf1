--TEST--
larder_info() and phpinfo() show the state and the counters of the cache
--SKIPIF--
<?php
is_file(__DIR__ . '/../../../library/larder.stub.php') || print 'skip the stub is in the package of the library';
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.segment' => 'told']);

larder_store_multiple(['a' => 1, 'b' => 'two', 'c' => [3]]);
larder_clear();
larder_store_multiple(['a' => 1, 'b' => 'two', 'c' => [3]]);
larder_fetch_multiple(['a', 'b', 'c', 'none']);
larder_delete('a');
echo 'clears: ', larder_info()['clears'], "\n";
larder_store('huge', str_repeat('x', 4 << 20));
ini_set('larder.zero_copy', '0');
larder_fetch('c');
$copying = larder_info();
ini_set('larder.zero_copy', '1');
$info = larder_info();

// each documented key is there, and no other
$stub = file_get_contents(__DIR__ . '/../../../library/larder.stub.php');
$text = substr($stub, strpos($stub, 'Always there:'));
preg_match_all('/^ \* - ([a-z_, ]+): /m', $text, $documented);
$documented = array_merge(...array_map(fn ($names) => explode(', ', $names), $documented[1]));
echo 'not documented: ', implode(' ', array_diff(array_keys($info), $documented)), "\n", 'not there: ', implode(' ', array_diff($documented, array_keys($info))), "\n";
foreach ($info as $name => $value) {
    foreach (is_array($value) && !array_is_list($value) ? array_keys($value) : [] as $inner) {
        if (!preg_match("/ - $name: [^-]*\b$inner\b/", $text)) {
            echo "not documented: $name, $inner\n";
        }
    }
}

// without a look at the tables all the rest is the same
$counted = larder_info(false);
echo 'only with tables: ', implode(' ', array_keys(array_diff_key($info, $counted))), "\n";
foreach (array_diff_key($counted, ['age' => 0]) as $name => $value) {
    if ($value !== $info[$name]) {
        echo "$name differs\n";
    }
}

['available' => $available, 'reason' => $reason, 'segment' => $segment, 'user' => $user, 'path' => $path] = $info;
var_dump($available, $reason, $segment, $user === posix_geteuid_of_proc(), is_file($path), filesize($path) === $info['size'], fileperms($path) & 0777, fileperms(dirname($path)) & 0777);
var_dump($info['size'] === $info['size_asked'], $info['zero_copy'], $copying['zero_copy'], $info['age'] >= 0 && $info['age'] < 60);
var_dump($info['entries'], $info['hits'], $info['misses'], $info['stores'], $info['deletes'], $info['copies'], $info['refusals']);
var_dump(array_sum(array_intersect_key($info['memory'], ['free' => 1, 'open' => 1, 'closed' => 1, 'limbo' => 1])) <= $info['memory']['pages'], $info['processes']['attached'], count($info['processes']['holders']));
var_dump($info['pins']['mine'] === $info['pins']['long_lived'], $info['pins']['mine'] <= $info['pins']['long_lived_limit']);

function posix_geteuid_of_proc(): int
{
    preg_match('/^Uid:\s+\d+\s+(\d+)/m', file_get_contents('/proc/self/status'), $match);

    return (int) $match[1];
}

ob_start();
phpinfo(INFO_MODULES);
$page = ob_get_clean();
$page = substr($page, strpos($page, "\nlarder\n"));
echo implode("\n", array_slice(explode("\n", $page), 3, 21)), "\n";
foreach (['Segment => ' . $path, 'larder.size => 16M => 16M', 'larder.zero_copy => On => On'] as $line) {
    if (!str_contains($page, "\n$line\n")) {
        echo "phpinfo() does not say: $line\n";
    }
}
preg_match_all('/^(Larder|Reason) => .*/m', other_process('phpinfo(INFO_MODULES);', ['larder.enabled' => 0]), $lines);
echo implode("\n", $lines[0]), "\n";

// a replaced entry is dead until its page is reused; the oldest page grows older; a holder is named by its process
larder_store('big', str_repeat('x', 20_000));
$before = larder_info();
larder_store('big', str_repeat('y', 20_000));
usleep(1_100_000);
$after = larder_info();
var_dump($after['memory']['dead'] - $before['memory']['dead'] >= 20_000, $after['oldest'] >= 1.1 && $after['oldest'] <= $after['age'], $after['processes']['holders'][0]['pid'] === getmypid());

// what processes without request ends hold counts among all that is held
$held = larder_fetch('big');
$pins = larder_info()['pins'];
ob_start();
phpinfo(INFO_MODULES);
var_dump($pins['mine'] > 0, $pins['pages'] >= $pins['mine'], preg_match('/^Pages held by readers => [1-9]/m', ob_get_clean()));

larder_clear();
var_dump(larder_info()['oldest']);
// nothing is left of what was in the open page before
larder_store('new', 'x');
$info = larder_info();
var_dump($info['entries'], $info['oldest'] < $info['age'] - 0.5);
?>
--EXPECTF--
clears: 1
not documented: 
not there: 
only with tables: memory entries oldest pins processes
bool(true)
string(0) ""
string(4) "told"
bool(true)
bool(true)
bool(true)
int(384)
int(448)
bool(true)
bool(true)
bool(false)
bool(true)
int(2)
int(4)
int(1)
int(6)
int(1)
int(1)
array(2) {
  ["size"]=>
  int(1)
  ["room"]=>
  int(0)
}
bool(true)
int(1)
int(1)
bool(true)
bool(true)
Larder => available
Version => %s
User => %s(%d); each user has a separate cache
Object serializer => %s
Segment => %s/told-%s
Size => 16 MiB
Committed memory => %f MiB
Free memory => %s MiB
Zero-copy reads => yes
Entries => 2
Maximum entries => %d,%d
Oldest unused entry => 0 s
Hits => 4
Misses => 1
Stores => 6
Evictions => 0
Refused stores: value too large => 1
Refused stores: no memory => 0
Pages held by readers => %d of at most %d
Pages held by long-lived readers => %d of at most %d
Processes => 1 of at most 512
Larder => not available
Reason => larder.enabled is off
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(1)
float(0)
int(1)
bool(true)
