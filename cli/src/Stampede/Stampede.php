<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

use Larder\Cache;
use Larder\Internal\Driver\None\NullStore;

/** Many processes, forked and connected beforehand, that miss the same value at the same moment. */
final class Stampede
{
    private const KEY = 'stampede';
    /** Seconds that the processes may take to begin, and may take to end in addition to their computations. */
    private const PATIENCE = 60.0;
    /** Microseconds between the barrier and the kill, so that the others are waiting by then. */
    private const BEFORE_THE_KILL = 100_000;
    private const TRIES = 10;

    /** One byte for each computation. */
    private readonly string $log;

    /**
     * @param string $directory for a file
     * @param int $processes how many ask
     * @param float $seconds that the computation takes
     * @param float $lease seconds of the lease, in stores that cannot see whether a process lives
     */
    public function __construct(
        private readonly string $dsn,
        string $directory,
        private readonly int $processes,
        private readonly float $seconds,
        private readonly float $lease,
    ) {
        $this->log = $directory . '/computations';
    }

    /** @return array{computations: int, last: float} last: seconds from the barrier to the last answer */
    public function cold(): array
    {
        $this->begin();
        $barrier = $this->barrier();

        try {
            $start = microtime(true);
            $barrier->open();

            return $this->outcome($barrier, $start);
        } finally {
            $barrier->kill();
        }
    }

    /**
     * @return array{computations: int, last: float} last: seconds from the kill of the computing process, which counts
     *         as a computation, to the last answer; 0.0 if all had answered before
     */
    public function killed(): array
    {
        $this->begin();
        $barrier = $this->barrier();
        $killed = null;

        try {
            $killed = Fork::start(function () use ($barrier): array {
                $barrier->open();
                $this->ask(self::PATIENCE, Cache::open($this->dsn));

                return [];
            });
            for ($end = microtime(true) + self::PATIENCE; $this->computations() === 0; usleep(200)) {
                if (microtime(true) > $end) {
                    throw new \RuntimeException(
                        Fork::failure([$killed]) ?? 'the process to be killed did not start to compute',
                    );
                }
            }
            $barrier->open();
            usleep(self::BEFORE_THE_KILL);
            $start = microtime(true);
            $killed->kill();

            return $this->outcome($barrier, $start);
        } finally {
            $killed?->kill();
            $barrier->kill();
        }
    }

    private function begin(): void
    {
        file_put_contents($this->log, '');
        $cache = Cache::open($this->dsn);
        $cache->reach();
        $cache->clear();
        if ($cache->store() instanceof NullStore) {
            return;
        }
        // Yac may lose a value, but not every one.
        for ($try = 0; $try < self::TRIES; ++$try) {
            $cache->set('probe', $try, 60);
            if ($cache->get('probe') === $try) {
                return;
            }
        }

        throw new \RuntimeException('it can be opened, but stores nothing');
    }

    private function barrier(): Barrier
    {
        return Barrier::before($this->processes, function (): \Closure {
            $cache = Cache::open($this->dsn);
            // Connects and loads the code, as in a worker that has served requests before.
            $cache->remember('another', 60, static fn(): string => 'value');

            return function () use ($cache): array {
                $this->ask($this->seconds, $cache);

                return [microtime(true)];
            };
        });
    }

    private function ask(float $seconds, Cache $cache): void
    {
        $cache->remember(self::KEY, 60, function () use ($seconds): string {
            file_put_contents($this->log, '.', \FILE_APPEND);
            usleep((int) (1e6 * $seconds));

            return 'computed';
        }, lease: $this->lease);
    }

    /** @return array{computations: int, last: float} */
    private function outcome(Barrier $barrier, float $start): array
    {
        $answers = array_merge(...$barrier->results(
            microtime(true) + self::PATIENCE + $this->processes * $this->seconds,
        ));

        return ['computations' => $this->computations(), 'last' => max(0.0, max([$start, ...$answers]) - $start)];
    }

    /** @phpstan-impure */
    private function computations(): int
    {
        return \strlen((string) file_get_contents($this->log));
    }
}
