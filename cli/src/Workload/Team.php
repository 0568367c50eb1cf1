<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Stampede\Barrier;

/** Processes that share the work and start together. */
final class Team
{
    /** Seconds that they may take. */
    private const PATIENCE = 60.0;

    /**
     * @param \Closure(int): (\Closure(): list<int|float>) $prepare called in each process, with its number; the closure
     *         that it returns runs when all are ready
     * @return list<list<float>> what each process answered
     * @throws \RuntimeException when one of them failed
     */
    public static function run(int $processes, \Closure $prepare): array
    {
        $barrier = Barrier::before($processes, $prepare);

        try {
            $barrier->open();

            return $barrier->results(microtime(true) + self::PATIENCE);
        } finally {
            $barrier->kill();
        }
    }
}
