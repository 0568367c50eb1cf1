--TEST--
Parent and child keep their values and their cache after a fork
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '8M']);

/** Runs this in a child; gives what it returned. */
function child(callable $do): string
{
    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $process = pcntl_fork();
    if ($process === 0) {
        fclose($here);
        fwrite($there, (string) $do());
        fclose($there);
        exit(0);
    }
    fclose($there);
    $said = stream_get_contents($here);
    pcntl_waitpid($process, $status);

    return pcntl_wifsignaled($status) ? 'killed by signal ' . pcntl_wtermsig($status) : $said;
}

function source(): array
{
    return array_map(fn (int $i) => ['id' => $i, 'text' => str_repeat("$i ", 50)], range(1, 100));
}

function churn(): void
{
    for ($i = 0; $i < 2000; $i++) {
        larder_store("churn $i", [str_repeat("$i ", 2000)]);
        larder_fetch("churn $i");
    }
}

larder_store('value', source());
$held = larder_fetch('value');
$record = larder_info()['processes']['mine'];

// the child holds what its parent held, and has a record of its own
echo child(function () use ($held, $record) {
    larder_store('from the child', [getmypid()]);
    $own = larder_info()['processes']['mine'];
    larder_delete('value');
    churn();

    return ($held === source() ? 'unchanged' : 'changed') . ', ' . ($own === $record ? 'the same record' : 'another record');
}), "\n";
var_dump(is_int(larder_fetch('from the child', ['none'])[0]) || larder_info()['evictions']['room'] > 0);
churn();
var_dump($held === source());

// children of children, at once, counting
for ($i = 0; $i < 4; $i++) {
    if (($process = pcntl_fork()) === 0) {
        for ($n = 0; $n < 2000; $n++) {
            while (larder_increment('count') === false); // refused while the one that holds the lock is stopped
        }
        if (pcntl_fork() === 0) {
            while (larder_increment('grandchildren') === false);
            exit($held === source() ? 0 : 1);
        }
        pcntl_wait($status);
        posix_kill(getmypid(), SIGKILL); // and an end without any shutdown
    }
    $processes[] = $process;
}
foreach ($processes as $process) {
    pcntl_waitpid($process, $status);
}
var_dump(larder_fetch('count'), larder_fetch('grandchildren'), $held === source());

// one that was forked before anything was fetched
echo child(function () {
    larder_store('first', 1);

    return child(fn () => larder_fetch('first'));
}), "\n";

// the parent ends first; the child goes on with what it holds
$code = '
    larder_store("inherited", array_fill(0, 50, str_repeat("inherited ", 100)));
    $held = larder_fetch("inherited");
    if (pcntl_fork() === 0) {
        usleep(200000);
        for ($i = 0; $i < 2000; $i++) { larder_store("churn $i", str_repeat("$i ", 2000)); }
        echo $held === array_fill(0, 50, str_repeat("inherited ", 100)) ? "unchanged" : "changed", "\n";
    }
';
$extensions = extension_loaded('pcntl') ? [] : ['extension' => 'pcntl'];
echo other_process($code, $extensions);
?>
--EXPECT--
unchanged, another record
bool(true)
bool(true)
int(8000)
int(4)
bool(true)
1
unchanged
