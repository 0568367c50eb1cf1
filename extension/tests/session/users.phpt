--TEST--
Sessions: two users have sessions of their own, with the same ids
--EXTENSIONS--
session
posix
--SKIPIF--
<?php if (posix_geteuid() !== 0) { die('skip only root can become another user'); } ?>
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['larder.session_lock_wait' => '0']);
ob_start();
chmod(getenv('LARDER_TEST_CACHE'), 01777);

session_id('one');
session_start();
$_SESSION['of'] = 'root';
const OTHER = 'ob_start(); posix_setgid(65534); posix_setuid(65534); session_id("one"); var_dump(session_start(), $_SESSION); $_SESSION["of"] = "nobody";';
echo other_process(OTHER), other_process(OTHER);
session_write_close();
echo other_process(OTHER);
var_dump(request('one', fn () => $_SESSION['of']));
foreach ([0, 65534] as $user) {
    $folder = getenv('LARDER_TEST_CACHE') . "/larder-$user";
    $files = glob("$folder/default.sessions-*");
    echo count($files), sprintf(' %o %o %d', fileperms($folder) & 0777, fileperms($files[0]) & 0777, fileowner($files[0])), "\n";
}
?>
--EXPECT--
bool(true)
array(0) {
}
bool(true)
array(1) {
  ["of"]=>
  string(6) "nobody"
}
bool(true)
array(1) {
  ["of"]=>
  string(6) "nobody"
}
string(4) "root"
1 700 600 0
1 700 600 65534
