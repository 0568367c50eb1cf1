<?php

declare(strict_types=1);

/*
 * A request that forks while other threads work (storm.php, or the script that $argv[5] names), if it is of the first
 * place. Parent and child go on with what was fetched before, fetch and store; the child has only its own descriptors of
 * segments. Ends with 1 if not.
 */

/** @var list<string> $argv */
if ((int) $argv[1] !== 0) {
    require __DIR__ . '/' . ($argv[5] ?? 'storm.php');
}

require __DIR__ . '/descriptors.php';

function refuse(string $what): never
{
    file_put_contents('php://stderr', "$what\n");
    exit(1);
}

function work(string $who, mixed $held): void
{
    $expected = ['text' => str_repeat('held ', 100)];
    if ($held !== $expected) {
        refuse("$who: the held value has changed");
    }
    larder_store("of the $who", [$who, str_repeat('x', 5000)], 60);
    $own = larder_fetch("of the $who");
    if ($own !== null && $own !== [$who, str_repeat('x', 5000)]) {
        refuse("$who: its own value is another one");
    }
    $again = larder_fetch('held');
    if ($again !== null && $again !== $expected) {
        refuse("$who: the stored value has changed");
    }
}

$held = null;
for ($i = 0; $i < 100 && $held === null; $i++) {
    larder_store('held', ['text' => str_repeat('held ', 100)]);
    $held = larder_fetch('held');
}
$child = pcntl_fork();
$status = -1;
if ($child === 0) {
    work('child', $held);
    if (count(open_segments()) > 1) {
        refuse('child: it has descriptors of other threads: ' . implode(' ', open_segments()));
    }
    exit(0);
}
work('parent', $held);
$deadline = hrtime(true) + 10_000_000_000;
while (pcntl_waitpid($child, $status, WNOHANG) === 0) {
    if (hrtime(true) > $deadline) {
        posix_kill($child, SIGKILL);
        refuse('parent: the child hangs');
    }
    usleep(500);
}
if (!is_int($status) || !pcntl_wifexited($status) || pcntl_wexitstatus($status) !== 0) {
    refuse('parent: the child ended with ' . var_export($status, true));
}
exit(0);
