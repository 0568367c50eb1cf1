<?php

declare(strict_types=1);

/*
 * A request of a storm: stores, fetches, counts and deletes values that prove themselves, and at last looks again at all
 * that it has fetched. Ends with 1 if a value is wrong. Run by host.c; $argv[4] is a number of calls.
 */

const KEYS = 400;

/** @return array{key: string, text: string, list: list<array{number: int, text: string}>, sum: string} */
function value(string $key, int $version): array
{
    $text = str_repeat("$key of version $version. ", $version % 300);
    $list = [];
    for ($i = 0; $i < $version % 40; $i++) {
        $list[] = ['number' => $version + $i, 'text' => "$key $i"];
    }

    return ['key' => $key, 'text' => $text, 'list' => $list, 'sum' => sum($key, $text, $list)];
}

/** @param array<mixed> $list */
function sum(string $key, string $text, array $list): string
{
    return hash('crc32b', "$key $text " . json_encode($list));
}

function fail(string $what): never
{
    file_put_contents('php://stderr', "$what\n");
    exit(1);
}

function expect_whole(string $key, mixed $value): void
{
    if (is_object($value)) {
        $value = (array) $value;
    }
    if (!is_array($value) || !is_string($value['text'] ?? null) || !is_array($value['list'] ?? null)
        || ($value['key'] ?? null) !== $key || sum($key, $value['text'], $value['list']) !== ($value['sum'] ?? null)) {
        fail("$key has a wrong value: " . substr(var_export($value, true), 0, 500));
    }
}

/** @var list<string> $argv */
[, $place, $life, $request] = array_map(intval(...), $argv);
$calls = (int) ($argv[4] ?? 200);
mt_srand((int) getmypid() * 7919 + $place * 104_729 + $life * 31 + $request);
$held = [];
for ($i = 0; $i < $calls; $i++) {
    $key = 'key ' . mt_rand(0, KEYS - 1);
    switch (mt_rand(0, 9)) {
        case 0:
        case 1:
        case 2:
            $value = value($key, mt_rand(0, 100_000));
            larder_store($key, mt_rand(0, 3) === 0 ? (object) $value : $value, mt_rand(0, 4) === 0 ? 0.05 : 0);
            break;
        case 3:
            larder_delete($key);
            break;
        case 4:
            $before = larder_fetch('count', 0);
            $after = larder_increment('count');
            if (!is_int($before) || is_int($after) && $after <= $before) {
                fail('a count went backwards: ' . var_export($before, true) . ', ' . var_export($after, true));
            }
            break;
        default:
            $value = larder_fetch($key);
            if ($value !== null) {
                expect_whole($key, $value);
                $held[] = [$key, $value];
            }
    }
}
foreach ($held as [$key, $value]) {
    expect_whole($key, $value);
}
exit(0);
