<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;

/** A full cache evicts a little at a time, and keeps entries that are in use. */
#[Group('proof')]
final class FullnessTest extends EngineTestCase
{
    private const MIB = 32;

    /**
     * Stores many times the capacity: 50 bytes to 2 MiB, mostly short values, with all kinds of ttl. Between two
     * stores, it reads ten of a hundred hot keys. A wipe: at most a tenth of the recent entries is left.
     */
    private const FILL = <<<'PHP'
        mt_srand(SEED);
        [$store, $fetch] = ['CACHE_store', 'CACHE_fetch'];
        $entries = static fn(): int => 'CACHE' === 'apcu' ? apcu_cache_info(true)['num_entries'] : larder_info()['entries'];
        $hot = static fn(int $i): string => str_repeat("hot $i ", 40);
        for ($i = 0; $i < 100; ++$i) {
            $store("hot $i", $hot($i));
        }
        $seen = array_fill_keys(['stores', 'refused', 'reads', 'missed', 'wrong', 'wipes', 'least'], 0);
        $seen['least'] = 100;
        for ($bytes = $before = 0; $bytes < LEAST; $bytes += $size) {
            $size = (int) (50 * ((2 << 20) / 50) ** ((mt_rand() / mt_getrandmax()) ** 3));
            $seen['refused'] += !$store('key ' . ++$seen['stores'], str_repeat(chr(33 + $seen['stores'] % 90), $size), [0, 0, 1, 60][mt_rand(0, 3)]);
            for ($read = 0; $read < 10; ++$read) {
                $i = mt_rand(0, 99);
                $value = $fetch("hot $i");
                ++$seen['reads'];
                if (!is_string($value)) {
                    ++$seen['missed'];
                    $store("hot $i", $hot($i));
                } else {
                    $seen['wrong'] += $value !== $hot($i);
                }
            }
            if ($seen['stores'] % 10 === 0) {
                $now = $entries();
                $share = $before === 0 ? 100 : (int) (100 * $now / $before);
                $seen['wipes'] += $share <= 10;
                $seen['least'] = min($seen['least'], $share);
                $before = $now;
            }
        }
        return $seen;
        PHP;

    public function testFullCacheEvictsALittleAtATime(): void
    {
        $seed = random_int(1, 1 << 30);
        $times = Proof::amount(10, 200);
        $larder = $this->fill('larder', $seed, $times);
        $apcu = $this->fill('apcu', $seed, 10);
        self::assertSame([0, 0], [$larder['wrong'], $larder['refused']]);

        Proof::record('fullness.wipe', $larder['stores'], "stores, $times times more than there is room for, 50 bytes to 2 MiB", $larder['wipes'], [
            'least share of the entries that ten stores left' => "{$larder['least']} %, APCu {$apcu['least']} %",
        ], $seed);
        Proof::control('fullness.wipe', 'APCu, the same memory, the same stores', $apcu['stores'], $apcu['wipes']);

        Proof::record('fullness.hot-keys', $larder['reads'], 'reads of hot keys meanwhile, of which one in a hundred may miss', max(0, $larder['missed'] - intdiv($larder['reads'], 100)), [
            'hit rate' => self::percent($larder['reads'] - $larder['missed'], $larder['reads']) . ', APCu ' . self::percent($apcu['reads'] - $apcu['missed'], $apcu['reads']),
        ], $seed);
        Proof::control('fullness.hot-keys', 'APCu, the same memory, the same reads', $apcu['reads'], max(0, $apcu['missed'] - intdiv($apcu['reads'], 100)));
    }

    /** @return array{stores: int, refused: int, reads: int, missed: int, wrong: int, wipes: int, least: int} */
    private function fill(string $cache, int $seed, int $times): array
    {
        $php = $this->sandbox->commandLine(ini: ['larder.size' => self::MIB . 'M', 'larder.zero_copy' => '0', 'apc.enable_cli' => 1, 'apc.shm_size' => self::MIB . 'M']);
        $php->begin(strtr(self::FILL, ['CACHE' => $cache, 'SEED' => (string) $seed, 'LEAST' => (string) ($times * self::MIB << 20)]));
        /** @var array{stores: int, refused: int, reads: int, missed: int, wrong: int, wipes: int, least: int} $seen */
        $seen = $php->end(120);

        return $seen;
    }

    private static function percent(int $part, int $whole): string
    {
        return \sprintf('%.1f %%', 100 * $part / $whole);
    }
}
