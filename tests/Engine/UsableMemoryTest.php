<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;

/** The share of a full segment that holds keys and values; docs/engine.md explains the rest. */
#[Group('proof')]
final class UsableMemoryTest extends EngineTestCase
{
    /**
     * Bytes of keys and values after storing three times the capacity. The average of several fills, because there are
     * only thirty long values, each of which counts for much.
     */
    private const MEASURE_SHARE = <<<'PHP'
        mt_srand(SEED);
        CACHE_store('made', 1); // there is no segment before
        for ($fill = $bytes = 0; $fill < FILLS; ++$fill) {
            CACHE_CLEAR();
            [$size, $usable] = MEMORY;
            for ($stored = $n = 0; $stored < 3 * $size; $stored += $lengths[$n++]) {
                $lengths[$n] = mt_rand(FROM, TO);
                CACHE_store("key $n", str_repeat('x', $lengths[$n]));
            }
            for ($i = 0; $i < $n; ++$i) {
                $bytes += CACHE_exists("key $i") ? strlen("key $i") + $lengths[$i] : 0;
            }
        }
        return [intdiv($bytes, FILLS), $usable, $size];
        PHP;

    /** For each cache: how to clear it, its total memory, and the part of it for entries. */
    private const LARDER = [
        'CACHE_CLEAR' => 'larder_clear', 'CACHE_' => 'larder_',
        'MEMORY' => '[larder_info()["size"], larder_info()["memory"]["pages"] * larder_info()["memory"]["page_size"]]',
    ];
    private const APCU = [
        'CACHE_CLEAR' => 'apcu_clear_cache', 'CACHE_' => 'apcu_',
        'MEMORY' => 'array_fill(0, 2, (int) (apcu_sma_info(true)["num_seg"] * apcu_sma_info(true)["seg_size"]))',
    ];

    /** Lengths of values, and the minimum share of the pages that they must fill, slightly below the measured one. */
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
        [$failed, $figures] = $this->measure(['larder.size' => '32M'], self::LARDER, $seed, 8);
        Proof::record('fullness.usable', \count(self::SHARES), 'mixes of lengths, each with the share of keys and values that is expected', \count($failed), $figures, $seed);
    }

    public function testApcuHoldsLessInTheSameMemory(): void
    {
        [$failed] = $this->measure(['apc.enable_cli' => 1, 'apc.shm_size' => '32M'], self::APCU, random_int(1, 1 << 30));
        Proof::control('fullness.usable', 'APCu, the same memory, the same stores: ' . implode('; ', $failed), \count(self::SHARES), \count($failed));
    }

    /**
     * @param array<string, int|string> $ini
     * @param array<string, string> $cache
     * @param int $fills of long values
     * @return array{list<string>, array<string, string>} mixes below their minimum share, and the shares of all
     */
    private function measure(array $ini, array $cache, int $seed, int $fills = 1): array
    {
        $php = $this->sandbox->commandLine(ini: $ini);
        $figures = $failed = [];
        foreach (self::SHARES as $name => [$from, $to, $least]) {
            /** @var array{int, int, int} $measured */
            $measured = $php->run(strtr(self::MEASURE_SHARE, [...$cache, 'SEED' => (string) $seed, 'FROM' => (string) $from, 'TO' => (string) $to, 'FILLS' => (string) ($to > 50_000 ? $fills : 1)]));
            [$bytes, $usable, $size] = $measured;
            $figures[$name] = \sprintf('%.1f %% of the pages, %.1f %% of the segment', 100 * $bytes / $usable, 100 * $bytes / $size);
            if (100 * $bytes < $least * $usable) {
                $failed[] = \sprintf('%s: %.1f %%', $name, 100 * $bytes / $usable);
            }
        }

        return [$failed, $figures];
    }
}
