<?php

/*
 * Compares the module apcu with APCu: processor time per call, in a cache of 32 MiB with 20,000 entries of 500 bytes.
 * The two alternate, each time in a new process. Prints the medians, and the median ratio of the pairs.
 *
 *   php lab/figures/apcu.php [rounds]
 *   php lab/figures/apcu.php --rows       the measuring process
 */

declare(strict_types=1);

use Larder\ProjectTests\Apcu\Peer;

/** Processor time of this process in nanoseconds. */
function processor_time(): float
{
    /** @var array<string, int> $usage */
    $usage = getrusage();

    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e9 + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1e3;
}

/** @return array<string, array{int, Closure(int): mixed}> row => number of calls in one timing, and the call */
function rows(): array
{
    $keys = array_map(static fn(int $i): string => "fill:$i", range(0, 99));
    $values = array_fill_keys($keys, str_repeat('f', 500));
    $table = [];
    for ($i = 0; $i < 2500; $i++) {
        $table['row ' . intdiv($i, 50)]['column ' . $i % 50] = "value $i";
    }
    apcu_store('short', '0123456789');
    apcu_store('table', $table);
    apcu_store('count', 1);

    return [
        'apcu_fetch, 10 bytes' => [50_000, static fn(): mixed => apcu_fetch('short')],
        'apcu_fetch, 50 x 50 strings' => [50, static fn(): mixed => apcu_fetch('table')],
        'apcu_fetch, a miss' => [50_000, static fn(): mixed => apcu_fetch('none')],
        'apcu_fetch, 100 keys' => [500, static fn(): mixed => apcu_fetch($keys)],
        'apcu_store, 10 bytes' => [50_000, static fn(): mixed => apcu_store('short', '0123456789')],
        'apcu_store, 10 bytes, with a ttl' => [50_000, static fn(): mixed => apcu_store('short', '0123456789', 60)],
        'apcu_store, 50 x 50 strings' => [50, static fn(): mixed => apcu_store('table', $table)],
        'apcu_store, 100 keys' => [500, static fn(): mixed => apcu_store($values)],
        'apcu_add, of a key that is there' => [50_000, static fn(): mixed => apcu_add('short', 1)],
        'apcu_exists' => [50_000, static fn(): mixed => apcu_exists('short')],
        'apcu_inc' => [50_000, static fn(): mixed => apcu_inc('count')],
        'apcu_cas' => [50_000, static fn(int $i): mixed => apcu_cas('swap', $i, $i + 1) || apcu_store('swap', $i + 1)],
        'apcu_store and apcu_delete' => [20_000, static fn(): mixed => apcu_store('short', 1) && apcu_delete('short')],
        'apcu_entry, a hit' => [50_000, static fn(): mixed => apcu_entry('count', static fn(): int => 1)],
        'apcu_entry, a miss, and apcu_delete' => [10_000, static fn(): mixed => [apcu_entry('made', static fn(): int => 1), apcu_delete('made')]],
        'apcu_key_info' => [50_000, static fn(): mixed => apcu_key_info('fill:1')],
        'apcu_cache_info(true)' => [10_000, static fn(): mixed => apcu_cache_info(true)],
        'apcu_sma_info(true)' => [10_000, static fn(): mixed => apcu_sma_info(true)],
        'apcu_cache_info' => [2, static fn(): mixed => apcu_cache_info()],
        'APCUIterator, all items' => [2, static fn(): mixed => iterator_to_array(new APCUIterator())],
        'APCUIterator, the keys of /^fill:1/' => [5, static fn(): mixed => iterator_to_array(new APCUIterator('/^fill:1/', APC_ITER_KEY))],
        'APCUIterator, a list of 100 keys' => [50, static fn(): mixed => iterator_to_array(new APCUIterator($keys, APC_ITER_KEY))],
        'apcu_delete, of /^none/' => [5, static fn(): mixed => apcu_delete(new APCUIterator('/^none/', APC_ITER_NONE))],
        'apcu_clear_cache, of 20,000 entries' => [1, static fn(): mixed => apcu_clear_cache()],
    ];
}

/**
 * Nanoseconds of a call: the minimum of several tries.
 *
 * @param Closure(int): mixed $call
 */
function time_of(int $count, Closure $call): float
{
    $best = \INF;
    for ($try = $count === 1 ? 3 : 0; $try < 4; $try++) {
        $begin = processor_time();
        for ($i = 0; $i < $count; $i++) {
            $call($i);
        }
        $best = min($best, (processor_time() - $begin) / $count);
    }

    return $best;
}

/** @return array<string, float> row => nanoseconds, minus those of an empty closure */
function measure(): array
{
    apcu_clear_cache();
    for ($i = 0; $i < 20_000; $i++) {
        apcu_store("fill:$i", str_repeat('f', 500));
    }
    $closure = time_of(50_000, static fn(): mixed => null);

    return array_map(static fn(array $row): float => max(time_of(...$row) - $closure, 0.0), rows());
}

/** @param non-empty-list<float> $numbers */
function median(array $numbers): float
{
    sort($numbers);

    return $numbers[intdiv(\count($numbers), 2)];
}

if (($argv[1] ?? '') === '--rows') {
    echo json_encode(measure(), \JSON_THROW_ON_ERROR), "\n";
    exit(0);
}

require __DIR__ . '/../../vendor/autoload.php';
$peers = ['APCu' => Peer::apcu(), 'here' => Peer::larder()];
$times = [];
for ($round = max(1, (int) ($argv[1] ?? 7)); $round > 0; $round--) {
    foreach ($peers as $name => $peer) {
        $said = implode('', iterator_to_array($peer->lines(['-d', 'zend_extension=opcache', '-d', 'opcache.enable_cli=1', '-d', 'apc.shm_size=32M', __FILE__, '--rows']), false));
        foreach ((array) json_decode($said, true, flags: \JSON_THROW_ON_ERROR) as $row => $time) {
            $times[$row][$name][] = \is_float($time) || \is_int($time) ? (float) $time : throw new \RuntimeException($said);
        }
    }
}
printf("| call | APCu, ns | here, ns | ratio |\n|---|---:|---:|---:|\n");
foreach ($times as $row => $both) {
    $ratios = array_map(static fn(float $here, float $apcu): float => $here / max($apcu, 1.0), $both['here'] ?? [], $both['APCu'] ?? []);
    if ($ratios !== [] && isset($both['APCu'], $both['here'])) {
        printf("| %s | %s | %s | %.2f |\n", $row, number_format(median($both['APCu'])), number_format(median($both['here'])), median($ratios));
    }
}
