<?php

declare(strict_types=1);

/*
 * A request of a storm: stores, fetches, counts and deletes values that prove themselves, and at last looks again at all
 * that it has fetched. Ends with 1 if a value is wrong. Run by host.c; $argv[4] is a number of calls.
 */

require __DIR__ . '/values.php';

const KEYS = 400;

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
