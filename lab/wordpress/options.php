<?php

/*
 * Proves that no old option survives in the object cache: writers change options and are killed at any moment, beside
 * readers. Each life of a writer has an option of its own, so that no later write mends what a death left behind.
 *
 *     php options.php WP-LOAD CHANGES WRITES-LOST-WITHOUT
 *
 * Wrong is a read that began after a writer's call had returned, and gave an older value; and one that gives another
 * value than the database more than ten seconds after the writer's death. Prints counts as JSON.
 */

declare(strict_types=1);

const LATE = 10.0;
const STUCK = 60.0; // seconds for 40 changes
const RECORD = 24; // bytes of a life: confirmed, final value, time of death

$_SERVER['HTTP_HOST'] = 'localhost';
$_SERVER['REQUEST_METHOD'] = 'GET';
require $argv[1];
global $wpdb;
$changes = (int) $argv[2];
if (!wp_using_ext_object_cache()) {
    fwrite(STDERR, "The drop-in is not used here.\n");
    exit(1);
}
$wpdb->close(); // each process has a connection of its own

/** What is known for sure about each life, in a file that every process maps by reading. */
final class Lives
{
    /** @param resource $file */
    private function __construct(private $file) {}

    public static function open(string $path): self
    {
        return new self(fopen($path, 'c+'));
    }

    public function set(int $life, int $part, int|float $value): void
    {
        fseek($this->file, $life * RECORD + $part * 8);
        fwrite($this->file, pack('d', $value));
        fflush($this->file);
    }

    /** @return array{float, float, float} */
    public function get(int $life): array
    {
        fseek($this->file, $life * RECORD);
        $read = fread($this->file, RECORD);

        return strlen((string) $read) === RECORD ? array_values(unpack('d3', $read)) : [0.0, 0.0, 0.0];
    }

    public function count(): int
    {
        return intdiv(fstat($this->file)['size'], RECORD);
    }
}

/** A new request, as far as the cache is concerned. */
function begin_request(): void
{
    wp_cache_flush_runtime();
}

function in_child(Closure $work): int
{
    $pid = pcntl_fork();
    if ($pid === 0) {
        global $wpdb;
        $wpdb->db_connect(false);
        if (!$GLOBALS['wp_object_cache'] instanceof Larder\WordPress\ObjectCache\ObjectCache) {
            $GLOBALS['wp_object_cache'] = null; // another drop-in, which would use its parent's connection
            wp_cache_init();
        }
        begin_request();
        mt_srand(getmypid());
        $work();
        posix_kill(getmypid(), SIGKILL); // no destructors of what the parent has
    }

    return $pid;
}

/**
 * Option 3n is autoloaded, 3n+1 is not, 3n+2 comes and goes. After a deadlock in the database nothing was written, so
 * the older value is right. Without one, WordPress had read an old value.
 */
function write_options(Lives $lives, int $life, string $directory): void
{
    $parent = posix_getppid();
    for ($n = 1; posix_getppid() === $parent; ++$n) {
        begin_request();
        if ($life % 3 === 2 && $n % 2 === 0) {
            $lives->set($life, 0, 0);
            delete_option("life$life");
        } else {
            $isNew = $n === 1 || $life % 3 === 2;
            if ($isNew ? add_option("life$life", $n, '', $life % 3 !== 1) : update_option("life$life", $n)) {
                $lives->set($life, 0, $n);
            } else {
                $error = $GLOBALS['wpdb']->last_error;
                $file = $error === '' ? 'wrong' : 'refused';
                file_put_contents("$directory/$file", "not written $life: $n $error\n", FILE_APPEND);
            }
        }
    }
}

$directory = dirname($argv[1]);
$path = "$directory/lives";
$parent = Lives::open($path);
$found = "$directory/wrong";
touch($found);
touch("$directory/refused");

$readers = [];
for ($reader = 0; $reader < 2; ++$reader) {
    $readers[] = in_child(static function () use ($path, $found, $directory): void {
        $lives = Lives::open($path);
        $parent = posix_getppid();
        for ($reads = 0; !file_exists("$directory/stop") && posix_getppid() === $parent; ++$reads) {
            $count = $lives->count();
            if ($count === 0) {
                continue;
            }
            $life = random_int(0, 3) === 0 ? random_int(0, $count - 1) : max(0, $count - random_int(1, 4));
            [$confirmed, $final, $death] = $lives->get($life);
            $start = microtime(true);
            begin_request();
            $value = (float) get_option("life$life", 0);
            // What comes and goes may have gone since.
            $isThere = $life % 3 !== 2 || $lives->get($life)[0] === $confirmed;
            if ($value < $confirmed && $death === 0.0 && $isThere) {
                file_put_contents($found, "living $life: $value instead of $confirmed\n", FILE_APPEND);
            }
            if ($death > 0.0 && $start > $death + LATE && $value !== $final) {
                file_put_contents($found, "dead $life: $value instead of $final\n", FILE_APPEND);
            }
        }
        file_put_contents("$directory/reads", "$reads\n", FILE_APPEND);
    });
}

$wpdb->db_connect(false);
// What the database has of a life, long enough after its death for the last statement to be over.
$bury = static function (int $life) use ($parent): void {
    global $wpdb;
    $value = $wpdb->get_var("SELECT option_value FROM $wpdb->options WHERE option_name = 'life$life'");
    $parent->set($life, 1, (float) $value);
    $parent->set($life, 2, microtime(true));
};
$life = 0;
$done = 0;
$kills = 0;
while ($done < 2 * $changes) {
    $pids = [];
    for ($writer = 0; $writer < 2; ++$writer, ++$life) {
        $parent->set($life, 2, 0.0);
        $mine = $life;
        $pids[$life] = in_child(static fn() => write_options(Lives::open($path), $mine, $directory));
    }
    foreach ($pids as $dead => $pid) {
        // A busy machine may need long for the first change. Without marks, a writer may never get another one through.
        $end = microtime(true) + STUCK;
        for ($target = random_int(0, 40); $parent->get($dead)[0] < $target && microtime(true) < $end;) {
            usleep(200);
        }
        if (microtime(true) >= $end) {
            file_put_contents($found, "stuck $dead\n", FILE_APPEND);
        }
        usleep(random_int(0, 3000));
        posix_kill($pid, SIGKILL);
        pcntl_waitpid($pid, $status);
        ++$kills;
    }
    usleep(20_000);
    foreach (array_keys($pids) as $dead) {
        $done += (int) $parent->get($dead)[0];
        $bury($dead);
    }
}
usleep((int) (LATE * 1_000_000) + 500_000);
// All of them once more, in one process and one after the other.
begin_request();
$wrongAtEnd = 0;
for ($dead = 0; $dead < $life; ++$dead) {
    $wrongAtEnd += (float) get_option("life$dead", 0) === $parent->get($dead)[1] ? 0 : 1;
}
touch("$directory/stop");
foreach ($readers as $reader) {
    pcntl_waitpid($reader, $status);
}
$wrong = file($found);

// Two living writers of one option, many times: afterwards, the cache has what the database has.
$unequal = 0;
$rounds = intdiv($changes, 20);
add_option('both', 0);
add_option('both not loaded', 0, '', false);
for ($round = 0; $round < $rounds; ++$round) {
    $wpdb->close();
    $pids = [];
    foreach ([1, 2] as $writer) {
        $pids[] = in_child(static function () use ($round, $writer): void {
            update_option('both', $round * 10 + $writer);
            update_option('both not loaded', $round * 10 + $writer);
            update_option("of$writer", $round);
        });
    }
    foreach ($pids as $pid) {
        pcntl_waitpid($pid, $status);
    }
    $wpdb->db_connect(false);
    begin_request();
    foreach (['both', 'both not loaded', 'of1', 'of2'] as $option) {
        $row = $wpdb->get_var("SELECT option_value FROM $wpdb->options WHERE option_name = '$option'");
        $unequal += $row === (string) get_option($option) ? 0 : 1;
    }
}
echo json_encode([
    'kills' => $kills,
    'changes' => $done,
    'refused by the database' => count(file("$directory/refused")),
    'reads' => array_sum(array_map(intval(...), file("$directory/reads") ?: [])),
    'wrong' => count($wrong),
    'wrong at the end' => $wrongAtEnd,
    'rounds of two' => $rounds,
    'unequal' => $unequal,
    'examples' => array_slice($wrong, 0, 3),
]), "\n";
exit(0);
