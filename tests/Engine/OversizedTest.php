<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;

/** A too long value is refused at once, whatever its length, and others lose nothing. */
#[Group('proof')]
final class OversizedTest extends EngineTestCase
{
    /** The shortest time of many refusals of each value, in nanoseconds; true if other entries were lost. */
    private const STORE_OVERSIZED = <<<'PHP'
        ini_set('memory_limit', '-1');
        for ($i = 0; $i < 200; ++$i) {
            larder_store("other $i", str_repeat("$i", 1000));
        }
        $before = larder_info();
        foreach ([2, 200] as $times) {
            $values = [
                'string' => str_repeat('x', $times * LIMIT),
                'table' => array_map(static fn (int $i): array => [$i, 2, 3, 4, 5], range(1, intdiv($times * LIMIT, 120))), // none equal, which would be stored once
                'objects' => array_map(static fn (int $i): object => (object) ['number' => $i, 'text' => str_pad("text $i", 1000)], range(1, intdiv($times * LIMIT, 1000))),
            ];
            foreach ($values as $name => $value) {
                for ($i = $stored = 0, $quickest = INF; $i < TRIES; ++$i) {
                    $begin = hrtime(true);
                    $stored += larder_store('key', $value);
                    $quickest = min($quickest, hrtime(true) - $begin);
                }
                $refusals["$name $times"] = [$stored, $quickest];
                $begin = hrtime(true);
                strlen(serialize($value));
                $whole["$name $times"] = hrtime(true) - $begin;
            }
            unset($values, $value);
        }
        $after = larder_info();
        for ($i = $lost = 0; $i < 200; ++$i) {
            $lost += larder_fetch("other $i") !== str_repeat("$i", 1000);
        }
        return ['refusals' => $refusals, 'whole' => $whole, 'lost' => $lost, 'evicted' => [$before['evictions'], $after['evictions']], 'entries' => $after['entries'] - $before['entries']];
        PHP;

    public function testOversizedValueIsRefusedAndEvictsNothing(): void
    {
        $larder = $this->sandbox->commandLine(ini: ['larder.zero_copy' => '0']);
        // An eighth of the segment is larger than an eighth of its pages.
        $limit = intdiv($this->sandbox::SIZE, 8);
        $tries = Proof::amount(20, 200);
        /** @var array{refusals: array<string, array{int, int}>, whole: array<string, int>, lost: int, evicted: array{array<string, int>, array<string, int>}, entries: int} $seen */
        $seen = $larder->run(strtr(self::STORE_OVERSIZED, ['LIMIT' => (string) $limit, 'TRIES' => (string) $tries]));
        self::assertSame($seen['evicted'][0], $seen['evicted'][1]);
        self::assertSame(0, $seen['entries']);
        self::assertSame(array_fill(0, 6, 0), array_column($seen['refusals'], 0));

        // A hundred times the value: code that reads all of it would take about a hundred times as long.
        $slower = $whole = [];
        foreach (['string', 'table', 'objects'] as $name) {
            $slower[$name] = $seen['refusals']["$name 200"][1] / max(1, $seen['refusals']["$name 2"][1]);
            $whole[$name] = $seen['whole']["$name 200"] / max(1, $seen['whole']["$name 2"]);
        }
        Proof::record('fullness.oversized', 6 * $tries, 'refusals of oversized values', $seen['lost'] + \count(array_filter($slower, static fn(int|float $ratio): bool => $ratio > 10)), [
            'time of a refusal at 200 times the limit over that at 2 times' => \sprintf('%.1f', max($slower)),
            'of all others, lost' => "{$seen['lost']} of 200",
        ]);
        Proof::control('fullness.oversized', 'serialize(), which looks at all of a value', 3, \count(array_filter($whole, static fn(int|float $ratio): bool => $ratio > 10)));

        $apcu = $this->sandbox->commandLine(ini: ['apc.enable_cli' => 1, 'apc.shm_size' => '8M']);
        $lost = $apcu->number(<<<'PHP'
            for ($i = 0; $i < 1_500; ++$i) {
                apcu_store("other $i", str_repeat('other', 800));
            }
            apcu_store('key', str_repeat('x', 16 << 20));
            for ($i = $lost = 0; $i < 1_500; ++$i) {
                $lost += !apcu_exists("other $i");
            }
            return $lost;
            PHP);
        Proof::control('fullness.oversized', 'APCu, one value of twice its memory: entries of others that are lost', 1_500, $lost);
    }
}
