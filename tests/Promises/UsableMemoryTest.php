<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Promises;

use Larder\ProjectTests\Engine\EngineTestCase;

/** How much of a full segment is keys and values; docs/engine.md says where the rest is. */
final class UsableMemoryTest extends EngineTestCase
{
    /** How many bytes of keys and values are there when three times as much was stored. */
    private const MEASURE_SHARE = <<<'PHP'
        mt_srand(SEED);
        larder_clear();
        $size = larder_info()['size'];
        for ($stored = $n = 0; $stored < 3 * $size; $stored += $lengths[$n++]) {
            $lengths[$n] = mt_rand(FROM, TO);
            larder_store("key $n", str_repeat('x', $lengths[$n]));
        }
        for ($i = $bytes = 0; $i < $n; ++$i) {
            $bytes += larder_exists("key $i") ? strlen("key $i") + $lengths[$i] : 0;
        }
        $memory = larder_info()['memory'];
        return [$bytes, $memory['pages'] * $memory['page_size'], $size];
        PHP;

    /** Lengths of values, and the least share of the pages that they may fill: a little less than what was measured. */
    private const SHARES = [
        'values of 100 bytes' => [100, 100, 60],
        'values of 1,000 bytes' => [1_000, 1_000, 88],
        'values of 33 KB, just over half a page' => [33_000, 33_000, 48],
        'values of 50 bytes to 20 KB' => [50, 20_000, 84],
        'values of 100 to 300 KB' => [100_000, 300_000, 78],
        'values of 0.5 to 1.5 MB' => [500_000, 1_500_000, 84],
    ];

    public function testMostOfTheMemoryHoldsKeysAndValues(): void
    {
        $seed = random_int(1, 1 << 30);
        $larder = $this->sandbox->commandLine(ini: ['larder.size' => '32M']);
        $figures = [];
        $failed = 0;
        foreach (self::SHARES as $name => [$from, $to, $least]) {
            /** @var array{int, int, int} $measured */
            $measured = $larder->run(strtr(self::MEASURE_SHARE, ['SEED' => (string) $seed, 'FROM' => (string) $from, 'TO' => (string) $to]));
            [$bytes, $pages, $size] = $measured;
            $figures[$name] = \sprintf('%.1f %% of the pages, %.1f %% of the segment', 100 * $bytes / $pages, 100 * $bytes / $size);
            $failed += (int) (100 * $bytes < $least * $pages);
        }
        Proof::record('fullness.usable', \count(self::SHARES), 'mixes of lengths, each with the share of keys and values that is expected', $failed, $figures, $seed);
    }
}
