--TEST--
Sessions: what PHP asks of a save handler
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['session.gc_maxlifetime' => '2', 'session.gc_probability' => '0']);
ob_start();

echo "a new session is empty, and stays\n";
var_dump(request('first', fn () => $_SESSION));
request('first', function () { $_SESSION['text'] = "zero \0 byte"; $_SESSION['list'] = range(1, 3000); });
echo other_process('ob_start(); session_id("first"); session_start(); var_dump($_SESSION["text"] === "zero \0 byte", count($_SESSION["list"]));');

echo "another id\n";
session_id('first');
session_start();
session_regenerate_id();
$_SESSION['text'] = 'after';
$new = session_id();
session_write_close();
var_dump(request('first', fn () => strlen($_SESSION['text'])), request($new, fn () => $_SESSION['text']));
session_id($new);
session_start();
session_regenerate_id(true);
$third = session_id();
session_write_close();
var_dump(request($new, fn () => $_SESSION), request($third, fn () => $_SESSION['text']));

echo "read and close\n";
session_id('first');
session_start(['read_and_close' => true]);
var_dump(strlen($_SESSION['text']));
$_SESSION['text'] = 'not written';
var_dump(request('first', fn () => strlen($_SESSION['text'])));

echo "destroyed\n";
session_id('first');
session_start();
var_dump(session_destroy());
var_dump(request('first', fn () => $_SESSION));

echo "strict mode\n";
ini_set('session.use_strict_mode', '1');
session_id('unknown');
session_start();
var_dump(session_id() === 'unknown');
session_write_close();
var_dump(request('first', fn () => session_id()));
ini_set('session.use_strict_mode', '0');

echo "a lazy write keeps the session alive\n";
request('used', fn () => $_SESSION['a'] = 1);
request('unused', fn () => $_SESSION['a'] = 1);
for ($i = 0; $i < 5; $i++) {
    usleep(600000);
    $found = request('used', fn () => $_SESSION);
}
var_dump($found, request('unused', fn () => $_SESSION));

echo "gc\n";
session_id('used');
session_start();
var_dump(session_gc());
session_write_close();

echo "bad ids\n";
session_id(str_repeat('a', 257));
var_dump(session_start());
session_id('a/b');
var_dump(session_start());
?>
--EXPECTF--
a new session is empty, and stays
array(0) {
}
bool(true)
int(3000)
another id
int(11)
string(5) "after"
array(0) {
}
string(5) "after"
read and close
int(11)
int(11)
destroyed
bool(true)
array(0) {
}
strict mode
bool(false)
string(5) "first"
a lazy write keeps the session alive
array(1) {
  ["a"]=>
  int(1)
}
array(0) {
}
gc
int(0)
bad ids

Warning: session_start(): Session ID is too long or contains illegal characters. Only the A-Z, a-z, 0-9, "-", and "," characters are allowed in %s on line %d

Warning: session_start(): Failed to read session data: larder (path: %S) in %s on line %d
bool(false)

Warning: session_start(): Session ID is too long or contains illegal characters. Only the A-Z, a-z, 0-9, "-", and "," characters are allowed in %s on line %d

Warning: session_start(): Failed to read session data: larder (path: %S) in %s on line %d
bool(false)
