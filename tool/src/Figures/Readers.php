<?php

declare(strict_types=1);

namespace Larder\Tool\Figures;

use Larder\Tool\Php;
use Symfony\Component\Process\Process;

/**
 * How much more two readers on two cores do than one, beside a loop that shares nothing: what is missing is what the
 * readers cost each other.
 */
final class Readers
{
    private const SCRIPT = <<<'PHP'
        [, $fetch, $until] = $argv;
        larder_store('readers', 'x123456789');
        usleep((int) max(0, ((float) $until - microtime(true)) * 1e6));
        $end = hrtime(true) + 300_000_000;
        for ($times = 0; hrtime(true) < $end; $times++) {
            if ($fetch === '1') {
                for ($i = 0; $i < 1000; $i++) {
                    larder_fetch('readers');
                }
            } else {
                for ($i = 0; $i < 1000; $i++) {
                    strlen($fetch . $i);
                }
            }
        }
        echo $times;
        PHP;

    public static function row(): Row
    {
        return new Row('readers', 'two readers on two cores: gain over one', 'a loop that shares nothing', 0.95, [], self::measure(...), least: true);
    }

    /** @return non-empty-list<array{float, float}> */
    private static function measure(int $rounds): array
    {
        return array_map(static fn(): array => [self::gain('1'), self::gain('0')], range(1, max(5, intdiv($rounds, 4))));
    }

    private static function gain(string $fetch): float
    {
        $one = self::run($fetch, 1);

        return self::run($fetch, 2) / max(1, $one);
    }

    private static function run(string $fetch, int $readers): int
    {
        $until = (string) (microtime(true) + 0.25);
        $processes = [];
        for ($i = 0; $i < $readers; $i++) {
            $processes[] = $process = new Process((new Php(Engine::settings()))->command(['-r', self::SCRIPT, $fetch, $until]));
            $process->start();
        }
        $times = 0;
        foreach ($processes as $process) {
            $process->wait();
            $times += (int) $process->getOutput();
        }

        return $times;
    }
}
