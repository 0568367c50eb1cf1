<?php

declare(strict_types=1);

/* The same as storm.php by the functions of the module apcu. */

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
            $value = value($key, mt_rand(0, 100_000));
            apcu_store($key, mt_rand(0, 3) === 0 ? (object) $value : $value);
            break;
        case 2:
            apcu_delete($key);
            break;
        case 3:
            $before = apcu_fetch('count');
            $after = apcu_inc('count');
            if (is_int($before) && is_int($after) && $after <= $before) {
                fail("a count went backwards: $before, $after");
            }
            break;
        case 4:
            $value = apcu_entry($key, fn(string $key): array => value($key, 7));
            expect_whole($key, $value);
            $held[] = [$key, $value];
            break;
        case 5:
            foreach (mt_rand(0, 19) === 0 ? new APCUIterator('/^key 1/') : [] as $found => $item) {
                expect_whole($found, is_array($item) ? $item['value'] ?? null : null);
            }
            break;
        default:
            $value = apcu_fetch($key, $found);
            if ($found === true) {
                expect_whole($key, $value);
                $held[] = [$key, $value];
            }
    }
}
foreach ($held as [$key, $value]) {
    expect_whole($key, $value);
}
exit(0);
