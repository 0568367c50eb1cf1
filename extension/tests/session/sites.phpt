--TEST--
Sessions: sites with another session.save_path or session.name have sessions of their own
--EXTENSIONS--
session
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['session.save_path' => '/srv/a', 'session.name' => 'SITE']);
ob_start();

request('crossing', fn () => $_SESSION['admin'] = true);
$look = 'ob_start(); $seen = request("crossing", fn () => [session_id() === "crossing", $_SESSION]); echo json_encode($seen), "\n";';
foreach ([
    'the same site' => [],
    'another path' => ['session.save_path' => '/srv/b'],
    'another name' => ['session.name' => 'OTHER'],
    'the same letters, otherwise divided' => ['session.save_path' => '/srv/', 'session.name' => 'aSITE'],
    'no path' => ['session.save_path' => ''],
] as $site => $settings) {
    foreach (['1', '0'] as $strict) {
        echo "$site, ", $strict ? 'strict' : 'not strict', ': ', finish_process(start_process($look, ['session.use_strict_mode' => $strict] + $settings));
    }
}

echo "-- in one request, as one worker serves both\n";
$read = fn () => $_SESSION;
session_name('OTHER');
echo json_encode(request('crossing', $read)), "\n";
request('crossing', fn () => $_SESSION['of'] = 'the other');
session_name('SITE');
echo json_encode(request('crossing', $read)), "\n";
session_id('crossing');
session_start();
session_destroy();
echo json_encode(request('crossing', $read)), "\n";
session_name('OTHER');
echo json_encode(request('crossing', $read)), "\n";

echo "-- the lock is the site's own\n";
session_start();
echo finish_process(start_process($look, ['larder.session_lock_wait' => '0', 'session.name' => 'SITE']));
?>
--EXPECT--
the same site, strict: [true,{"admin":true}]
the same site, not strict: [true,{"admin":true}]
another path, strict: [false,[]]
another path, not strict: [true,[]]
another name, strict: [false,[]]
another name, not strict: [true,[]]
the same letters, otherwise divided, strict: [false,[]]
the same letters, otherwise divided, not strict: [true,[]]
no path, strict: [false,[]]
no path, not strict: [true,[]]
-- in one request, as one worker serves both
[]
{"admin":true}
[]
{"of":"the other"}
-- the lock is the site's own
[true,[]]
