<?php

declare(strict_types=1);

namespace Larder\Tool\Figures;

use Larder\Tool\Php;
use Symfony\Component\Process\Process;

/** The first stores of a process, which find no page of the cache mapped and no code warm. */
final class ColdStore
{
    private const SCRIPT = <<<'PHP'
        [, $prefix, $stores] = $argv;
        $store = $prefix . '_store';
        ($prefix . '_fetch')('attached');
        $start = hrtime(true);
        for ($i = 0; $i < $stores; $i++) {
            $store('cold:' . $i, 'x123456789');
        }
        echo (hrtime(true) - $start) / $stores;
        PHP;

    /** @return list<Row> */
    public static function all(): array
    {
        return [
            new Row('store-first', 'the first store of a process', 'APCu, as cold', 0.9, [], static fn(int $rounds): array => self::measure($rounds, 1)),
            new Row('store-hundred', 'its first hundred new keys', 'APCu, as cold', null, [], static fn(int $rounds): array => self::measure($rounds, 100)),
        ];
    }

    /** @return non-empty-list<array{float, float}> */
    private static function measure(int $rounds, int $stores): array
    {
        return array_map(static fn(): array => [self::run('larder', $stores), self::run('apcu', $stores)], range(1, max(10, intdiv($rounds, 2))));
    }

    private static function run(string $prefix, int $stores): float
    {
        $process = new Process((new Php(Engine::settings()))->command(['-r', self::SCRIPT, $prefix, (string) $stores]));

        return (float) $process->mustRun()->getOutput();
    }
}
