<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

/**
 * Forked processes that start together. Each prepares itself and waits at the barrier, a socket that is closed to
 * release them. They must be forks, since APCu and Yac share memory only with forks, as with PHP-FPM's workers. Each
 * process opens its own stores and connections.
 */
final class Barrier
{
    /** Seconds to wait until all processes are ready. */
    private const PATIENCE = 60.0;
    private const READY = '.';
    private const FAILED = '!';

    /**
     * @param list<Fork> $forks
     * @param resource $gate
     */
    private function __construct(private readonly array $forks, private $gate) {}

    /**
     * Forks the processes, and returns when all of them wait.
     *
     * @param \Closure(int): (\Closure(): list<int|float>) $prepare called in each process, with its number; the closure
     *         that it returns runs after open()
     * @throws \RuntimeException if one of them failed
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

    /**
     * Releases the processes. A process forked since before() must call this too: while it lives, its copy of the
     * socket holds them back.
     */
    public function open(): void
    {
        fclose($this->gate);
    }

    /**
     * Waits until all processes have ended.
     *
     * @return list<list<float>> results of each process
     * @throws \RuntimeException if a process failed, or has not ended in time
     */
    public function results(float $end): array
    {
        return array_map(static fn(Fork $fork): array => $fork->result($end), $this->forks);
    }

    /** Ends the processes that still run. */
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
