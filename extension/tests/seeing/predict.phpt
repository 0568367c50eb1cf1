--TEST--
larder_predict() says what a larger segment would give, whatever becomes of the processes that use this one
--EXTENSIONS--
pcntl
posix
--FILE--
<?php
require __DIR__ . '/../support.inc';
own_cache(['larder.size' => '16M']);

const KEYS = 200_000;

/** A source of key numbers whose popularity falls with the power 0.9 of their rank. */
function zipf(): Closure
{
    $sums = [];
    $sum = 0.0;
    for ($rank = 1; $rank <= KEYS; $rank++) {
        $sums[] = $sum += $rank ** -0.9;
    }

    return function () use ($sums, $sum): int {
        $wanted = mt_rand() / mt_getrandmax() * $sum;
        for ($low = 0, $high = KEYS - 1; $low < $high;) {
            $middle = ($low + $high) >> 1;
            $sums[$middle] < $wanted ? $low = $middle + 1 : $high = $middle;
        }

        return $low;
    };
}

/** Asks for keys and stores what is missing. Gives the share of hits. */
function ask(Closure $source, int $times): float
{
    static $value = null;
    $value ??= str_repeat('x', 1000);
    $hits = 0;
    for ($i = 0; $i < $times; $i++) {
        $key = 'key ' . $source();
        if (larder_fetch($key) !== null) {
            $hits++;
        } else {
            larder_store($key, $value);
        }
    }

    return $hits / $times;
}

// Nothing is known at first, nor if everything fits: each key is fetched often enough to fill the ring.
var_dump(larder_predict());
ask(function (): int {
    static $next = 0;

    return $next++ % 8000;
}, 700_000);
var_dump(larder_predict(), larder_info(false)['evictions']['room']);

// Half of the requests come from a process that is killed, and a child ends that has never asked for anything.
mt_srand(1);
$zipf = zipf();
$killed = pcntl_fork();
if ($killed === 0) {
    mt_srand(2);
    ask($zipf, 450_000);
    posix_kill(getmypid(), SIGKILL);
}
if (pcntl_fork() === 0) {
    exit(0);
}
ask($zipf, 450_000);
pcntl_waitpid($killed, $status);
$here = ask($zipf, 200_000);
pcntl_wait($status);
$predictions = larder_predict();
$rates = array_column($predictions, 'hit_rate');
$sorted = $rates;
sort($sorted);
var_dump(
    array_map(fn (array $prediction): array => array_keys($prediction), $predictions) === array_fill(0, 5, ['size', 'hit_rate']),
    array_column($predictions, 'size') === array_map(fn (float $factor): int => (int) ($factor * larder_info()['size']), [0.25, 0.5, 1, 2, 4]),
    $rates === $sorted && $rates[0] > 0 && $rates[4] < 1 && abs($rates[2] - $here) < 0.02,
    larder_predict() === $predictions,
);

// The same requests in a segment of twice the size. The control: without a prediction one is farther off.
$there = (float) other_process(
    'const KEYS = ' . KEYS . ';' . implode('', array_map(function (string $name): string {
        $function = new ReflectionFunction($name);

        return implode('', array_slice(file(__FILE__), $function->getStartLine() - 1, $function->getEndLine() - $function->getStartLine() + 1));
    }, ['zipf', 'ask'])) . 'mt_srand(1); ask(zipf(), 900_000); echo ask(zipf(), 200_000);',
    ['larder.size' => '32M', 'larder.segment' => 'twice'],
);
if (abs($rates[3] - $there) > 0.04 || abs($here - $there) < 0.04) {
    printf("%.3f here, %.3f there, %s predicted\n", $here, $there, json_encode($rates));
}
larder_clear();
var_dump(larder_predict());
?>
--EXPECT--
array(0) {
}
array(0) {
}
int(0)
bool(true)
bool(true)
bool(true)
bool(true)
array(0) {
}
