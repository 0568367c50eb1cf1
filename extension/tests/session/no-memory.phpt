--TEST--
Sessions: what a process without memory cannot read is not taken for an empty session
--EXTENSIONS--
session
--SKIPIF--
<?php
if (!is_executable('/usr/bin/prlimit')) {
    exit('skip needs prlimit');
}
if (getenv('USE_ZEND_ALLOC') === '0' || str_contains((string) getenv('LD_PRELOAD'), 'asan')) {
    exit('skip PHP itself would run out of memory');
}
?>
--FILE--
<?php
require __DIR__ . '/../session.inc';
own_sessions(['larder.session_size' => '16M']);
ob_start();

request('one', fn () => $_SESSION['large'] = str_repeat('x', 900_000));

// PHP has room for it in what it has from the system, the engine has not
echo finish_process(start_process(<<<'PHP'
    ob_start();
    request('two', fn () => true);
    preg_match('/VmSize:\s+(\d+)/', file_get_contents('/proc/self/status'), $size);
    shell_exec('/usr/bin/prlimit --as=' . $size[1] * 1024 . ' --pid ' . getmypid());
    $done = request('one', fn () => $_SESSION['more'] = 1);
    var_dump($done);
    PHP));
var_dump(request('one', fn () => strlen($_SESSION['large'] ?? '')));
?>
--EXPECTF--
Warning: session_start(): This process has no memory left to read the session in %s on line %d

Warning: session_start(): Failed to read session data: larder (path: %S) in %s on line %d
bool(false)
int(900000)
