<?php

/*
 * Replays the calls of a front page, and prints the time of a page in microseconds.
 *
 *     php replay.php core TRACE WP-INCLUDES    core's own class, which has all values already
 *     php replay.php larder TRACE              the plugin, in a request that finds all values in the engine
 *     php replay.php engine TRACE              only the calls of the engine in such a request; also prints their number
 */

declare(strict_types=1);

use Larder\WordPress\Backend;
use Larder\WordPress\Backend\Engine;
use Larder\WordPress\ObjectCache\Epoch;
use Larder\WordPress\ObjectCache\ObjectCache;

const ROUNDS = 300;

if ($argv[1] === 'core') {
    define('ABSPATH', dirname($argv[3]) . '/');
    define('WPINC', basename($argv[3]));
}

require __DIR__ . '/../../vendor/autoload.php';
require __DIR__ . '/../../wordpress/tests/functions.php';

/** Notes the calls of the engine. */
final class RecordingBackend extends Backend
{
    /** @var list<array{string, list<mixed>}> */
    public array $calls = [];

    public function __construct(private readonly Backend $backend) {}

    public function identity(): string
    {
        return $this->backend->identity();
    }

    public function title(): string
    {
        return $this->backend->title();
    }

    public function get(string $name, mixed $default = null): mixed
    {
        $this->calls[] = ['get', [$name]];

        return $this->backend->get($name, $default);
    }

    public function getMany(array $names): array
    {
        $this->calls[] = ['getMany', [$names]];

        return $this->backend->getMany($names);
    }

    public function set(string $name, mixed $value, int|float $ttl = 0): bool
    {
        $this->calls[] = ['set', [$name, $value, $ttl]];

        return $this->backend->set($name, $value, $ttl);
    }

    public function add(string $name, mixed $value, int|float $ttl = 0): bool
    {
        $this->calls[] = ['add', [$name, $value, $ttl]];

        return $this->backend->add($name, $value, $ttl);
    }

    public function delete(string $name): bool
    {
        $this->calls[] = ['delete', [$name]];

        return $this->backend->delete($name);
    }

    public function swap(string $name, int $old, int $new): bool
    {
        return $this->backend->swap($name, $old, $new);
    }
}

/** @param list<array{callable, list<mixed>}> $calls */
function replay(array $calls): float
{
    $start = hrtime(true);
    foreach ($calls as [$function, $arguments]) {
        $function(...$arguments);
    }

    return (hrtime(true) - $start) / 1000;
}

/** Of the faster half of all rounds: the others were interrupted. */
function typical(array $values): float
{
    sort($values);

    return $values[intdiv(count($values), 4)];
}

function nothing(mixed ...$arguments): void {}

[, $what, $file] = $argv;
$isCall = static fn(array $call): bool => $call[0] !== 'wp_cache_init';
$calls = array_values(array_filter(unserialize(file_get_contents($file)), $isCall));
if ($what === 'core') {
    require "$argv[3]/cache.php";
    require_once "$argv[3]/class-wp-object-cache.php";
    require_once "$argv[3]/cache-compat.php";
    $start = static fn() => null;
    wp_cache_init();
} else {
    require __DIR__ . '/../../wordpress/src/ObjectCache/functions.php';
    $backend = $recording = new Engine();
    $start = static function () use (&$recording): void {
        Larder\WordPress\Tests\Calls::$hooks = [];
        $GLOBALS['wp_object_cache'] = new ObjectCache($recording, new Epoch($recording, 'replay:'), 'replay:');
    };
}
$start();
// What the page missed was read from the database, and set: here it is there, too, as on a page that was seen before.
foreach ($calls as [$function, $arguments]) {
    if ($function === 'wp_cache_get' && call_user_func_array($function, $arguments) === false) {
        wp_cache_set($arguments[0], 'something', $arguments[1] ?? '');
    }
}
replay($calls);
if ($what === 'engine') {
    $recording = new RecordingBackend($backend);
    $start();
    replay($calls);
    $count = count($recording->calls);
    $calls = array_map(static fn(array $call): array => [$backend->{$call[0]}(...), $call[1]], $recording->calls);
}
$empty = array_map(static fn(array $call): array => ['nothing', $call[1]], $calls);
$times = [];
for ($round = 0; $round < ROUNDS; ++$round) {
    if ($what === 'larder') {
        $begin = hrtime(true);
        $start();
        $begun = (hrtime(true) - $begin) / 1000;
    }
    $times[] = ($begun ?? 0.0) + replay($calls) - replay($empty);
}
printf("%.1f %d\n", typical($times), $count ?? count($calls));
