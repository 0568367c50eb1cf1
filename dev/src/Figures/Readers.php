<?php

declare(strict_types=1);

namespace Larder\Dev\Figures;

use Larder\Cli\Php;
use Symfony\Component\Process\Process;

/**
 * What two processes on two cores get done of what each does alone, beside a loop that shares nothing: what is missing
 * is what they cost each other.
 */
final class Readers
{
    private const SCRIPT = <<<'PHP'
        [, $work, $until] = $argv;
        larder_store('read', 'x123456789');
        usleep((int) max(0, ((float) $until - microtime(true)) * 1e6));
        $end = hrtime(true) + 300_000_000;
        for ($times = 0; hrtime(true) < $end; $times++) {
            for ($i = 0; $i < 1000; $i++) {
                if ($work === 'read') {
                    larder_fetch('read');
                } elseif ($work === 'write') {
                    larder_store('written', 'x123456789');
                } else {
                    strlen($work . $i);
                }
            }
        }
        echo $times;
        PHP;

    /** @return list<Row> */
    public static function all(): array
    {
        $alone = 'a loop that shares nothing';

        return [
            new Row('readers', 'two readers on two cores: gain over one', $alone, 0.95, [], static fn(int $rounds): array => self::measure(['read', 'read'], $rounds), least: true),
            new Row('reader-writer', 'a reader beside a writer of another key: gain', $alone, 0.95, [], static fn(int $rounds): array => self::measure(['read', 'write'], $rounds), least: true),
        ];
    }

    /**
     * @param non-empty-list<string> $works
     * @return non-empty-list<array{float, float}>
     */
    private static function measure(array $works, int $rounds): array
    {
        $nothing = array_map(static fn(): string => 'nothing', $works);

        return array_map(static fn(): array => [self::gain($works), self::gain($nothing)], range(1, max(5, intdiv($rounds, 4))));
    }

    /** @param non-empty-list<string> $works */
    private static function gain(array $works): float
    {
        $alone = array_map(static fn(string $work): int => self::run([$work])[0] ?? 0, array_combine($works, $works));
        $gains = array_map(static fn(string $work, int $times): float => $times / max(1, $alone[$work]), $works, self::run($works));

        return array_sum($gains);
    }

    /**
     * @param list<string> $works
     * @return list<int> how often each was done
     */
    private static function run(array $works): array
    {
        $until = (string) (microtime(true) + 0.25);
        $processes = array_map(static function (string $work) use ($until): Process {
            $process = new Process((new Php(Engine::settings()))->command(['-r', self::SCRIPT, $work, $until]));
            $process->start();

            return $process;
        }, $works);

        return array_map(static function (Process $process): int {
            $process->wait();

            return (int) $process->getOutput();
        }, $processes);
    }
}
