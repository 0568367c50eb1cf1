<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Stampede\Fork;

/**
 * Processes that start together: forked, made ready, and let go at once by a socket that is closed. Forks, since APCu and
 * Yac share their memory with forks alone, as PHP-FPM's workers are; what they use they open themselves.
 */
final class Team
{
    /** How long is waited for the processes to be ready, and to end. */
    private const PATIENCE = 60.0;
    private const READY = '.';
    private const FAILED = '!';

    /**
     * @param \Closure(int): (\Closure(): list<int|float>) $prepare called in each process, with its number; what it returns
     *                                                              runs when all are ready
     * @return list<list<float>> what each process answered
     * @throws \RuntimeException when one of them failed
     */
    public static function run(int $processes, \Closure $prepare): array
    {
        [$there, $here] = Fork::pair();
        $forks = [];

        try {
            for ($number = 0; $number < $processes; ++$number) {
                $forks[] = Fork::start(static function () use ($there, $here, $number, $prepare): array {
                    fclose($here);

                    try {
                        $work = $prepare($number);
                    } catch (\Throwable $failure) {
                        fwrite($there, self::FAILED);

                        throw $failure;
                    }
                    fwrite($there, self::READY);
                    stream_set_timeout($there, (int) (2 * self::PATIENCE));
                    fread($there, 1);

                    return $work();
                });
            }
            fclose($there);
            stream_set_timeout($here, (int) self::PATIENCE);
            for ($ready = 0; $ready < $processes; $ready += \strlen($said)) {
                $said = (string) fread($here, max(1, $processes - $ready));
                if ($said === '' || str_contains($said, self::FAILED)) {
                    throw new \RuntimeException(Fork::failure($forks) ?? 'the processes did not get ready');
                }
            }
            fclose($here);
            $end = microtime(true) + self::PATIENCE;

            return array_map(static fn(Fork $fork): array => $fork->result($end), $forks);
        } finally {
            foreach ($forks as $fork) {
                $fork->kill();
            }
        }
    }
}
