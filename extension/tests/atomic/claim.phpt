--TEST--
One process at a time computes a missing value, and later writes win
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

$names = [LARDER_CLAIM_UNAVAILABLE => 'unavailable', LARDER_CLAIM_MISSING => 'missing', LARDER_CLAIM_VALUE => 'value', LARDER_CLAIM_OTHER => 'other', LARDER_CLAIM_OWN => 'own'];
function claim(string $key, ?int &$cas = null, ?int $useless = null): void
{
    global $names;
    echo $names[larder_claim($key, $cas, $useless)], "\n";
}

/** Starts a process that claims the key and then waits for its end, or does this at a byte on its input. */
function owner(string $key, string $do = ''): array
{
    $code = 'echo larder_claim(' . var_export($key, true) . ', $cas); fread(STDIN, 1); ' . $do . ' echo "done"; fread(STDIN, 1);';
    $process = proc_open([...php_command(), '-r', $code], [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    if (fread($pipes[1], 1) !== (string) LARDER_CLAIM_MISSING) {
        exit("not claimed\n");
    }

    return [$process, $pipes];
}

/** Lets an owner do what it was to do. */
function go_on(array $owner): void
{
    fwrite($owner[1][0], 'x');
    if (fread($owner[1][1], 4) !== 'done') {
        exit("not done\n");
    }
}

echo "-- a miss\n";
claim('k', $cas);
claim('k', $own);
var_dump($own === $cas, larder_fetch('k', 'default'), larder_fetch_fresh('k', 'default'), larder_fetch_entry('k'), larder_exists('k'), larder_key_info('k'), iterator_count(new LarderIterator()));
var_dump(larder_await('k', 60, $cas)); // it would wait for itself
var_dump(larder_store_cas('k', 'computed', $cas, 60), larder_store_cas('k', 'again', $cas), larder_fetch('k'));
larder_unclaim('k');
larder_unclaim('k');
claim('k', $cas);
var_dump(larder_store_cas('k', 'recomputed', $cas), larder_fetch('k'));
larder_unclaim('k');

echo "-- others write meanwhile\n";
foreach (['larder_store("k", "theirs");', 'larder_add("k", "theirs");', 'larder_increment("k");', 'larder_delete("k");', 'larder_delete_multiple(["k"]);', 'larder_delete_prefix("k");', 'larder_clear();'] as $code) {
    larder_delete('k');
    larder_claim('k', $cas);
    echo other_process($code);
    var_dump(larder_store_cas('k', 'computed', $cas));
    larder_unclaim('k');
    echo json_encode(larder_fetch('k')), "\n";
}

echo "-- another computes\n";
larder_delete('k');
$owner = owner('k', 'larder_store_cas("k", "theirs", $cas); larder_unclaim("k");');
claim('k', $cas);
var_dump(larder_await('k', 0, $cas), larder_await('k', 0.03, $cas));
go_on($owner);
var_dump(larder_await('k', 60, $cas), larder_fetch('k'));
proc_terminate($owner[0], SIGKILL);

echo "-- it has stored the value, and goes on\n";
larder_delete('k');
$owner = owner('k', 'larder_store_cas("k", "theirs", $cas);');
go_on($owner);
claim('k', $cas);
var_dump($cas, larder_await('k', 60, $cas), larder_fetch('k'));
$useless = larder_fetch_entry('k')['cas'];
claim('k', $cas, $useless);
var_dump($cas === $useless, larder_await('k', 0.03, $cas));
larder_store('k', 'stale', 0.001, 60);
usleep(10_000);
claim('k', $cas);
var_dump($cas === larder_fetch_entry('k')['cas'], larder_await('k', 0.03, $cas));
proc_terminate($owner[0], SIGKILL);

echo "-- it stores nothing\n";
larder_delete('k');
$owner = owner('k', 'larder_unclaim("k");');
claim('k', $cas);
go_on($owner);
var_dump(larder_await('k', 60, $cas)); // so it is computed at once,
claim('k', $next); // by this process,
var_dump(larder_await('k', 60, $cas)); // and by others that had waited too: the first to store wins
var_dump(larder_store_cas('k', 'first', $cas), larder_store_cas('k', 'second', $next), larder_fetch('k'));
larder_unclaim('k');
proc_terminate($owner[0], SIGKILL);

echo "-- it is killed\n";
larder_delete('k');
$owner = owner('k');
claim('k', $cas);
proc_terminate($owner[0], SIGKILL);
var_dump(larder_await('k', 60, $cas));
claim('k', $again);
var_dump($again === $cas, larder_store_cas('k', 'after a death', $again));
larder_unclaim('k');

echo "-- its request ends\n";
larder_delete('k');
foreach (['', 'exit();', 'throw new Exception();', 'str_repeat("x", PHP_INT_MAX);', 'register_shutdown_function(function () { exit(larder_claim("k") === LARDER_CLAIM_OWN ? 0 : 7); });'] as $code) {
    $said = other_process('ini_set("display_errors", 0); larder_claim("k");' . $code);
    echo str_contains($said, '7') || str_contains($said, 'signal') ? $said : '';
    claim('k', $cas);
    larder_unclaim('k');
}

echo "-- forks\n";
larder_delete('k');
claim('k', $cas);
if (($child = pcntl_fork()) === 0) {
    larder_unclaim('k');
    claim('k', $childs);
    var_dump($childs === $cas, larder_await('k', 0.02, $childs));
    exit(0);
}
pcntl_waitpid($child, $status);
claim('k');
var_dump(larder_store_cas('k', 'of the parent', $cas));
larder_unclaim('k');

echo "-- a value of no use\n";
larder_store('k', 'useless');
$useless = larder_fetch_entry('k')['cas'];
claim('k', $cas, $useless + 2);
larder_unclaim('k');
claim('k', $cas, $useless);
var_dump(larder_fetch('k'), larder_store_cas('k', 'x', $useless), larder_store_cas('k', 'useful', $cas));
larder_unclaim('k');
larder_store('k', 'stale', 0.001, 60);
usleep(10_000);
claim('k', $cas);
var_dump(larder_fetch_entry('k')['value'], larder_store_cas('k', 'fresh', $cas), larder_fetch('k'));
larder_unclaim('k');

echo "-- a computation that is not to be stored\n";
larder_delete('k');
$owner = owner('k');
claim('k', $earlier);
claim('k', $later, $earlier);
var_dump(larder_store_cas('k', 'earlier', $earlier), larder_store_cas('k', 'later', $later), larder_fetch('k'));
proc_terminate($owner[0], SIGKILL);

echo "-- a signal is handled\n";
larder_delete('k');
$owner = owner('k');
claim('k', $cas);
pcntl_async_signals(true);
pcntl_signal(SIGALRM, function () { echo "handled\n"; });
pcntl_alarm(1);
$begun = hrtime(true);
var_dump(larder_await('k', 60, $cas), hrtime(true) - $begun < 50e9);
proc_terminate($owner[0], SIGKILL);

echo "-- nothing is counted\n";
$before = larder_info(false);
larder_claim('none', $cas);
larder_await('none', 0, $cas);
larder_unclaim('none');
$after = larder_info(false);
var_dump(array_map(fn(string $name) => $after[$name] - $before[$name], ['hits', 'misses', 'stores']) === [0, 0, 0]);

echo "-- without a cache\n";
echo other_process('var_dump(larder_claim("k", $cas), $cas, larder_await("k", 60), larder_unclaim("k"), larder_fetch_entry("k"), larder_fetch_fresh("k", 7));', ['larder.enabled' => 0]);

echo "-- arguments\n";
foreach ([fn() => larder_claim(''), fn() => larder_await('', 1), fn() => larder_await('k', -1), fn() => larder_await('k', NAN), fn() => larder_unclaim(''), fn() => larder_claim()] as $wrong) {
    try {
        var_dump($wrong());
    } catch (Error $error) {
        echo $error->getMessage(), "\n";
    }
}
?>
--EXPECT--
-- a miss
missing
own
bool(true)
string(7) "default"
string(7) "default"
NULL
bool(false)
NULL
int(0)
bool(false)
bool(true)
bool(false)
string(8) "computed"
value
bool(true)
string(10) "recomputed"
-- others write meanwhile
bool(false)
"theirs"
bool(false)
"theirs"
bool(false)
1
bool(false)
null
bool(false)
null
bool(false)
null
bool(false)
null
-- another computes
other
bool(false)
bool(false)
bool(true)
string(6) "theirs"
-- it has stored the value, and goes on
other
NULL
bool(true)
string(6) "theirs"
other
bool(true)
bool(false)
other
bool(true)
bool(false)
-- it stores nothing
other
bool(false)
missing
bool(false)
bool(true)
bool(false)
string(5) "first"
-- it is killed
other
bool(true)
missing
bool(true)
bool(true)
-- its request ends
missing
missing
missing
missing
missing
-- forks
missing
other
bool(true)
bool(false)
own
bool(true)
-- a value of no use
value
missing
NULL
bool(false)
bool(true)
value
string(5) "stale"
bool(true)
string(5) "fresh"
-- a computation that is not to be stored
other
other
bool(false)
bool(true)
string(5) "later"
-- a signal is handled
other
handled
bool(true)
bool(true)
-- nothing is counted
bool(true)
-- without a cache
int(0)
NULL
bool(false)
NULL
NULL
int(7)
-- arguments
larder_claim(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_await(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_await(): Argument #2 ($seconds) must be greater than or equal to 0
larder_await(): Argument #2 ($seconds) must be greater than or equal to 0
larder_unclaim(): Argument #1 ($key) must be between 1 and 65535 bytes long
larder_claim() expects at least 1 argument, 0 given
