--TEST--
Sessions: a full segment refuses a new session, and keeps all others
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['session.gc_maxlifetime' => '1000']);
ob_start();

$refused = '';
set_error_handler(function (int $level, string $message) use (&$refused): bool {
    $refused = $refused ?: $message;

    return true;
});
for ($count = 0; $refused === ''; $count++) {
    request("s$count", fn () => $_SESSION = ['n' => $count, 'fill' => str_repeat('x', 3000)]);
}
restore_error_handler();
$count--;
echo $refused, "\n";
var_dump($count > 1500);

// of a long session, which needs pages in a row, it is not known whether the memory is full
request('long', fn () => $_SESSION = ['fill' => str_repeat('x', 700_000)]);

// another php.ini names a size that the segment does not have
$other = finish_process(start_process('request("another", fn () => $_SESSION = ["fill" => str_repeat("x", 3000)]);', ['larder.session_size' => '16M']));
var_dump(preg_match('/full of unexpired ones \((\d+ MiB)\)/', $other, $size), $size[1] ?? $other);

// the cache is full too: it takes nothing from the sessions
for ($i = 0; $i < 20000; $i++) {
    larder_store("k$i", str_repeat('y', 2000));
}
larder_clear();
$lost = 0;
for ($i = 0; $i < $count; $i++) {
    session_id("s$i");
    session_start(['read_and_close' => true]);
    $lost += ($_SESSION['n'] ?? null) !== $i;
}
var_dump($lost);

// those that are destroyed make room
for ($i = 0; $i < $count; $i += 2) {
    session_id("s$i");
    session_start();
    session_destroy();
}
for ($i = 0; $i < $count / 4; $i++) {
    request("again$i", fn () => $_SESSION = ['fill' => str_repeat('x', 3000)]);
}
var_dump(count(request('again7', fn () => $_SESSION)), request('s1', fn () => $_SESSION['n']));

// too large
var_dump(strlen(request('s1', fn () => $_SESSION['fill'])));
request('s1', fn () => $_SESSION['fill'] = str_repeat('x', 2 << 20));
var_dump(strlen(request('s1', fn () => $_SESSION['fill'])));
?>
--EXPECTF--
session_write_close(): Larder's memory for sessions is full of unexpired ones (8 MiB); nothing was lost but this write. Raise larder.session_size or lower session.gc_maxlifetime
bool(true)

Warning: session_write_close(): Larder's memory for sessions (8 MiB) has no room in a row for a session of 7000%d bytes, though shorter ones may fit; nothing was lost but this write. Raise larder.session_size or keep less in the session in %s on line %d

Warning: session_write_close(): Failed to write session data (larder). Please verify that the current setting of session.save_path is correct (%s) in %s on line %d
int(1)
string(5) "8 MiB"
int(0)
int(1)
int(1)
int(3000)

Warning: session_write_close(): The session takes %d bytes; the limit is %d. Raise larder.session_size in %s on line %d

Warning: session_write_close(): Failed to write session data (larder)%S in %s on line %d
int(3000)
