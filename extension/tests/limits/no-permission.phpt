--TEST--
A cache that cannot be created is unavailable before the first store
--SKIPIF--
<?php
if (!str_contains(file_get_contents('/proc/self/status'), "\nUid:\t0\t0\t") || !shell_exec('command -v setpriv')) {
    die('skip needs root and setpriv');
}
?>
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache();

const NOBODY = 65534;
$path = temporary_directory('/dev/shm');
$folder = "$path/larder-" . NOBODY;
chmod($path, 0755);
$look = <<<'CODE'
    ini_set('error_log', '/dev/null');
    $before = larder_info();
    $stored = larder_store('key', 1);
    $after = larder_info();
    echo $before['available'] ? 'available' : 'unavailable', ', ', $stored ? 'stored' : 'refused', "\n";
    echo str_replace(PLACE, 'PLACE', $before['reason']), $before['reason'] === $after['reason'] ? '' : " BUT THEN: {$after['reason']}", "\n\n";
    CODE;
$look = str_replace('PLACE,', var_export($path, true) . ',', $look);
// The extension may lie where only root can read it.
$module = temporary_directory(sys_get_temp_dir());
chmod($module, 0755);
$php = preg_replace_callback('~^extension=(/.*)$~', function (array $found) use ($module): string {
    copy($found[1], "$module/" . basename($found[1]));

    return "extension=$module/" . basename($found[1]);
}, php_command());
$command = ['setpriv', '--reuid', (string) NOBODY, '--regid', (string) NOBODY, '--clear-groups', ...$php, ...setting_arguments(['larder.path' => $path]), '-r', $look];
try {
    echo "The folder cannot be made.\n", run($command);
    mkdir($folder, 0700);
    echo "It belongs to another user.\n", run($command);
    chown($folder, NOBODY);
    chmod($folder, 0500);
    echo "Nothing can be made in it.\n", run($command);
    chmod($folder, 0700);
    echo "The control.\n", run(['prlimit', '--fsize=1000000', ...$command]), run($command);
} finally {
    remove($path);
    remove($module);
}
?>
--EXPECT--
The folder cannot be made.
unavailable, refused
cannot create the folder PLACE/larder-65534: Permission denied; as root: cd PLACE && mkdir -m 755 larder && install -d -m 700 -o 65534 larder/65534

It belongs to another user.
unavailable, refused
the folder PLACE/larder-65534 belongs to user 0, not to 65534, who has no cache; as root: cd PLACE && mkdir -m 755 larder && install -d -m 700 -o 65534 larder/65534

Nothing can be made in it.
unavailable, refused
cannot create a file in PLACE/larder-65534: Permission denied; chmod 700 PLACE/larder-65534

The control.
unavailable, refused
no process has made the segment, and this one may not write files of 16 MiB; raise ulimit -f or set larder.size smaller

available, stored


