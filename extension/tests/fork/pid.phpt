--TEST--
larder_pid() is the process id, also in forks of forks and without a cache
--EXTENSIONS--
pcntl
--FILE--
<?php
require __DIR__ . '/../support.inc';

$first = larder_pid();
var_dump($first === getmypid());

if (pcntl_fork() === 0) {
    $second = larder_pid();
    if (pcntl_fork() === 0) {
        echo larder_pid() === getmypid() && larder_pid() !== $second && $second !== $first ? 'a number of its own' : 'that of another', "\n";
        exit(0);
    }
    pcntl_wait($status);
    echo larder_pid() === getmypid() && $second === getmypid() && $second !== $first ? 'a number of its own' : 'that of another', "\n";
    exit(0);
}
pcntl_wait($status);
var_dump(larder_pid() === $first);

echo other_process('var_dump(larder_info()["available"], larder_pid() === getmypid());', ['larder.enabled' => '0']);
?>
--EXPECT--
bool(true)
a number of its own
a number of its own
bool(true)
bool(false)
bool(true)
