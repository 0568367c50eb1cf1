--TEST--
Sessions: who has a session open while the segment is removed is told so
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions();

// A process of the command line looks for its segment once a second, in one call of sixteen: in whichever it is.
const OPEN = <<<'PHP'
    ob_start();
    request('one', fn () => $_SESSION['here'] = 1);
    session_id('one');
    session_start();
    array_map(unlink(...), glob(getenv('LARDER_TEST_CACHE') . '/larder-*/' . ini_get('larder.segment') . '.sessions-*'));
    usleep(1_100_000);
    PHP;
$started = [];
for ($calls = 0; $calls < 16; $calls++) {
    $code = OPEN . str_repeat(' session_create_id();', $calls) . ' session_write_close();';
    $started[] = start_process($code, ['larder.segment' => "removed$calls"]);
}
$said = implode(array_map(finish_process(...), $started));
var_dump(substr_count($said, 'does not hold the lock of the session') > 0, str_contains($said, 'cannot keep sessions'));
?>
--EXPECT--
bool(true)
bool(false)
