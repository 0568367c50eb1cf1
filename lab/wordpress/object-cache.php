<?php

/*
 * Proves what the object cache promises, with WordPress, MariaDB and the engine: see options.php and Epoch.php.
 *
 *     php object-cache.php [--changes=N] [section…]    options, unmarked, alone, redis, time
 *
 * Each of two writers changes options N times (10,000). With fewer, other waits are shorter, too.
 */

declare(strict_types=1);

use Larder\Cli\Server\RedisServer;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Lab\WordPress\Site;
use Symfony\Component\Filesystem\Filesystem;

const ROOT = __DIR__ . '/../..';

require ROOT . '/vendor/autoload.php';
require __DIR__ . '/Site.php';

$passed = $failed = 0;
$check = static function (bool $isRight, string $what) use (&$passed, &$failed): void {
    $isRight ? ++$passed : ++$failed;
    $isRight || print "FAILED  $what\n";
};
$chosen = array_slice($argv, 1);
$changes = 10_000;
if (sscanf($chosen[0] ?? '', '--changes=%d', $changes) === 1) {
    array_shift($chosen);
}
$changes = (int) ($changes ?? 10_000);
$isShort = $changes < 10_000;
$isWanted = static fn(string $section): bool => $chosen === [] || in_array($section, $chosen, true);

/** A copy of the plugin, with one text in one of its files replaced. */
function altered(string $file, string $old, string $new): TemporaryDirectory
{
    $copy = new TemporaryDirectory('/dev/shm');
    (new Filesystem())->mirror(ROOT . '/wordpress', $copy->path);
    $text = (string) file_get_contents("$copy->path/$file");
    str_contains($text, $old) || throw new LogicException("$file has no '$old'");
    file_put_contents("$copy->path/$file", str_replace($old, $new, $text));

    return $copy;
}

/**
 * @param list<string> $options of PHP
 * @return array{string, string, string} what option.php says
 */
function ask(Site $site, array $arguments, array $options = []): array
{
    $process = $site->php(__DIR__ . '/option.php', $arguments, $options);
    Site::run($process);

    return explode(' ', $process->getOutput(), 3) + ['', '', ''];
}

function install(Site $site, int $posts = 3): void
{
    $site->php(__DIR__ . '/install.php', [(string) $posts])->mustRun();
    $site->visit(); // a web request takes the cache
}

/** How late, in seconds, a process with the cache began that still read another value. */
function delay(Site $site, string $expected): float
{
    $start = microtime(true);
    for ($last = $start; $last - $start < 12.0;) {
        [$cache, $began, $value] = ask($site, ['get', 'blogname']);
        if ($value === $expected && $cache === 'shared') {
            break;
        }
        $last = (float) $began;
    }

    return $last - $start;
}

/** @return array<string, mixed> */
function changes(Site $site, int $changes): array
{
    $process = $site->php(__DIR__ . '/options.php', [(string) $changes]);
    $process->run();
    $result = json_decode($process->getOutput(), true);
    $said = $process->getOutput() . $process->getErrorOutput();
    is_array($result) || throw new RuntimeException("options.php: $said");

    return $result;
}

function tell(string $name, array $result): void
{
    $examples = $result['examples'];
    unset($result['examples']);
    $counts = array_map(static fn(string $key, int $value): string => "$value $key", array_keys($result), $result);
    echo "   $name: ", implode(', ', $counts), "\n";
    foreach ($examples as $example) {
        echo '      ', $example;
    }
}

foreach ($isWanted('options') ? ['6.1', '6.8', '7.1'] : [] as $version) {
    echo "-- options of WordPress $version, whose writers are killed\n";
    $site = Site::create($version);
    try {
        install($site);
        $result = changes($site, $changes);
        tell('marks', $result);
        $check($result['wrong'] === 0 && $result['wrong at the end'] === 0, 'old options were read');
        $check($result['unequal'] === 0, 'two writers left an old option');
    } finally {
        $site->stop();
    }
}

if ($isWanted('unmarked')) {
    echo "-- control: the same without marks\n";
    $begin = '        if (!$this->isClosing) {';
    $copy = altered('src/ObjectCache/Options.php', $begin, "        return;\n$begin");
    $site = Site::create('6.1', $copy->path);
    try {
        install($site);
        $result = changes($site, min($changes, 2000));
        tell('no marks', $result);
        $wrong = $result['wrong'] + $result['wrong at the end'] + $result['unequal'];
        $check($wrong > 0, 'control: without marks, nothing is wrong');
    } finally {
        $site->stop();
    }

}
// A drop-in of others for Redis, which somebody has fetched.
$fetched = getenv('LARDER_DROP_IN');
if (is_string($fetched) && $isWanted('fetched')) {
    preg_match('/\bVersion: *(.*)/', (string) file_get_contents($fetched), $version);
    printf("-- control: %s %s, SHA-256 %s\n", $fetched, $version[1] ?? '', hash_file('sha256', $fetched));
    $folder = new TemporaryDirectory('/dev/shm');
    $redis = RedisServer::start($folder->path);
    $constants = ['WP_REDIS_CLIENT' => 'phpredis', 'WP_REDIS_SCHEME' => 'unix', 'WP_REDIS_PATH' => $redis->socket];
    $site = Site::create('6.1', constants: $constants, dropIn: $fetched);
    try {
        install($site);
        $result = changes($site, min($changes, 2000));
        tell('wrong', $result);
        $wrong = $result['wrong'] + $result['wrong at the end'] + $result['unequal'];
        $check($wrong > 0, 'control: nothing is wrong with another drop-in');
    } finally {
        $site->stop();
        $redis->stop();
    }
}

if ($isWanted('alone')) {
    echo "-- writers without the cache\n";
    $site = Site::create('6.1');
    try {
        install($site);
        $check(ask($site, ['set', 'blogname', 'first'])[0] === 'shared', 'the command line shares the cache');
        // Until the last change is ten seconds old, and the last epoch a minute, so that what is stored stays.
        $settle = static function (int $seconds) use ($site): void {
            sleep($seconds);
            ask($site, ['get', 'blogname']);
        };
        $settle(62);
        ask($site, ['row', 'blogname', 'unseen']);
        $check(delay($site, 'unseen') > 10.0, 'control: options are read from the database each time');
        ask($site, ['set', 'blogname', 'first']);

        $outsiders = [
            'without the extension' => static function (string $what) use ($site): array {
                $said = $site->bare(__DIR__ . '/option.php', [$what, 'blogname', 'without the extension']);

                return explode(' ', $said);
            },
            'of another segment' => static function (string $what) use ($site): array {
                return ask($site, [$what, 'blogname', 'of another segment'], ['-d', 'larder.segment=other']);
            },
            'during an update' => static function (string $what) use ($site): array {
                $plugin = "$site->folder/wp-content/plugins/larder";
                rename($plugin, "$plugin-away");
                try {
                    return ask($site, [$what, 'blogname', 'during an update']);
                } finally {
                    rename("$plugin-away", $plugin);
                }
            },
        ];
        foreach ($outsiders as $name => $write) {
            foreach (['set', 'die'] as $what) {
                ask($site, ['set', 'blogname', 'first']);
                $settle($isShort ? 11 : 62);
                $said = $write($what);
                $seconds = delay($site, $name);
                $how = $what === 'die' ? 'killed' : 'alive';
                printf("   %s, %s: last old value after %.1f s\n", $name, $how, $seconds);
                $check($what === 'die' || $said[0] === 'alone', "$name: it has the cache");
                $check($seconds < 10.0, "$name, $what: not seen for $seconds s");
            }
        }
        $settle($isShort ? 11 : 62);
        ask($site, ['row', 'blogname', 'emptied']);
        $site->bare(__DIR__ . '/site.php', ['/', 'flush-all']);
        $check(delay($site, 'emptied') < 10.0, 'a process without the cache cannot empty it');
    } finally {
        $site->stop();
    }

}
if ($isWanted('redis')) {
    echo "-- Redis, down and back\n";
    $folder = new TemporaryDirectory('/dev/shm');
    $redis = RedisServer::start($folder->path);
    $site = Site::create('6.1', constants: ['LARDER_DSN' => "redis://$redis->socket?timeout=1"]);
    try {
        install($site);
        $check(ask($site, ['set', 'blogname', 'first'])[0] === 'shared', 'Redis is not the cache');
        sleep(11);
        ask($site, ['get', 'blogname']);
        rename($redis->socket, "$redis->socket-away");
        $said = ask($site, ['set', 'blogname', 'down'], ['-d', 'error_log=/dev/null']);
        rename("$redis->socket-away", $redis->socket);
        $check($said[0] === 'alone', 'a process has the cache while Redis is down');
        $check(delay($site, 'down') < 10.0, 'what was written while Redis was down is not seen');
        $result = changes($site, min($changes, 500));
        tell('marks in Redis', $result);
        $wrong = $result['wrong'] + $result['wrong at the end'] + $result['unequal'];
        $check($wrong === 0, 'old options were read over Redis');
    } finally {
        $site->stop();
        $redis->stop();
    }

}
if ($isWanted('time')) {
    echo "-- time of a front page of 30 posts, WordPress 7.1\n";
    $functions = (string) file_get_contents(ROOT . '/wordpress/src/ObjectCache/functions.php');
    $copy = altered('src/ObjectCache/functions.php', $functions, (string) preg_replace(
        '/^function (\w+)\(.*\n\{/m',
        "$0\n    \$GLOBALS['larder_trace'][] = [__FUNCTION__, func_get_args()];",
        $functions,
    ));
    $site = Site::create('7.1', $copy->path);
    try {
        install($site, 40);
        $site->visit();
        sleep($isShort ? 0 : 62); // until what is stored stays: see Epoch
        $trace = "$site->folder/trace";
        for ($i = 0; $i < 2; ++$i) {
            $process = $site->php(__DIR__ . '/trace.php', [$trace])->mustRun();
        }
        echo '   ', $process->getOutput();
        $times = [];
        for ($round = 0; $round < 5; ++$round) {
            foreach (['core' => ["$site->folder/wp-includes"], 'larder' => [], 'engine' => []] as $what => $arguments) {
                $options = ['-d', 'opcache.enable_cli=1', '-d', 'extension=' . Site::extension()];
                $output = $site->bare(__DIR__ . '/replay.php', [$trace, ...$arguments], $options, $what);
                [$times[$what][], $count[$what]] = array_map(floatval(...), explode(' ', $output) + [0, 0]);
            }
        }
        $median = array_map(static function (array $values): float {
            sort($values);

            return $values[2];
        }, $times);
        $divide = static fn(float $ours, float $core): float => $ours / $core;
        $ratio = array_map($divide, $times['larder'], $times['core']);
        sort($ratio);
        printf(
            "   core %.0f us, Larder %.0f us, of which the engine %.1f us in %d calls; ratio %.2f (%.2f to %.2f)\n",
            ...[$median['core'], $median['larder'], $median['engine'], $count['engine']],
            ...[$ratio[2], $ratio[0], $ratio[4]],
        );
        $check($ratio[2] <= 1.1, 'it takes more than 1.1 of what core takes');
    } finally {
        $site->stop();
    }

}
echo "$passed passed, $failed failed\n";
exit($failed === 0 ? 0 : 1);
