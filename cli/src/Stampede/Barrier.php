<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

/**
 * Forked processes that start together: each gets ready and waits at the barrier, a socket that is closed to let them
 * go. Forks, since APCu and Yac share their memory with forks alone, as PHP-FPM's workers are; what they use they open
 * themselves.
 */
final class Barrier
{
    /** Seconds that are waited for all of them to be ready. */
    private const PATIENCE = 60.0;
    private const READY = '.';
    private const FAILED = '!';

    /**
     * @param list<Fork> $forks
     * @param resource $gate
     */
    private function __construct(private readonly array $forks, private $gate) {}

    /**
     * Forks the processes and returns once all of them wait.
     *
     * @param \Closure(int): (\Closure(): list<int|float>) $prepare called in each process, with its number; what it
     *                                                              returns runs after open()
     * @throws \RuntimeException when one of them failed
     */
    public static function before(int $processes, \Closure $prepare): self
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
        } catch (\Throwable $failure) {
            self::killAll($forks);

            throw $failure;
        }

        return new self($forks, $here);
    }

    /** Lets them go. A process forked in the meantime must call it too: it holds them back as long as it lives. */
    public function open(): void
    {
        fclose($this->gate);
    }

    /**
     * Waits until all have ended.
     *
     * @return list<list<float>> what each returned
     * @throws \RuntimeException when one of them failed or has not ended in time
     */
    public function results(float $end): array
    {
        return array_map(static fn(Fork $fork): array => $fork->result($end), $this->forks);
    }

    /** Ends those that have not ended. */
    public function kill(): void
    {
        self::killAll($this->forks);
    }

    /** @param list<Fork> $forks */
    private static function killAll(array $forks): void
    {
        foreach ($forks as $fork) {
            $fork->kill();
        }
    }
}
