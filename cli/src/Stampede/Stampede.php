<?php

declare(strict_types=1);

namespace Larder\Cli\Stampede;

use Larder\Cache;
use Larder\Driver\None\NullStore;

/**
 * Many processes that ask at the same moment for a value that is not there. They are forked and connected before, and wait
 * at a barrier: a socket that is closed to let them go.
 */
final class Stampede
{
    private const KEY = 'stampede';
    /** How long is waited for the processes: to begin, and beyond what they need by themselves to end. */
    private const PATIENCE = 60.0;
    /** Between the barrier and the kill: the others are waiting by then. */
    private const BEFORE_THE_KILL = 100_000;
    private const TRIES = 10;
    private const READY = '.';
    private const FAILED = '!';

    /** One byte for each computation. */
    private readonly string $log;

    /** @var list<Fork> all that were started */
    private array $forks = [];

    /**
     * @param string $directory for a file
     * @param int $processes how many ask
     * @param float $seconds that the computation takes
     * @param float $lease seconds, where a process cannot be seen
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
        [$forks, $go] = $this->waiting();
        $start = microtime(true);
        fclose($go);

        return $this->outcome($forks, $start);
    }

    /** @return array{computations: int, last: float} last: seconds from the kill of the one that computed, which counts too, or 0.0 when all had answered by then */
    public function killed(): array
    {
        $this->begin();
        [$forks, $go] = $this->waiting();
        $this->forks[] = $killed = Fork::start(function () use ($go): array {
            fclose($go); // else it would hold the others back as long as it lives
            $this->ask(self::PATIENCE, Cache::open($this->dsn));

            return [];
        });
        for ($end = microtime(true) + self::PATIENCE; $this->computations() === 0; usleep(200)) {
            if (microtime(true) > $end) {
                throw new \RuntimeException(Fork::failure([$killed]) ?? 'the process to be killed did not start to compute');
            }
        }
        fclose($go);
        usleep(self::BEFORE_THE_KILL);
        $start = microtime(true);
        $killed->kill();

        return $this->outcome($forks, $start);
    }

    /** Ends what was started and has not ended. */
    public function end(): void
    {
        foreach ($this->forks as $fork) {
            $fork->kill();
        }
        $this->forks = [];
    }

    private function begin(): void
    {
        $this->end();
        file_put_contents($this->log, '');
        $cache = Cache::open($this->dsn);
        $cache->reach();
        $cache->clear();
        if ($cache->store() instanceof NullStore) {
            return;
        }
        // Yac may lose a value, but not each.
        for ($try = 0; $try < self::TRIES; ++$try) {
            $cache->set('probe', $try, 60);
            if ($cache->get('probe') === $try) {
                return;
            }
        }

        throw new \RuntimeException('it can be opened, but stores nothing');
    }

    /** @return array{list<Fork>, resource} the resource is to be closed to let them go */
    private function waiting(): array
    {
        [$there, $here] = Fork::pair();
        $forks = [];
        for ($i = 0; $i < $this->processes; ++$i) {
            $this->forks[] = $forks[] = Fork::start(function () use ($there, $here): array {
                fclose($here);

                try {
                    $cache = Cache::open($this->dsn);
                    // Connected, and with the code loaded, as a worker is that has served requests before.
                    $cache->remember('another', 60, static fn(): string => 'value');
                } catch (\Throwable $failure) {
                    fwrite($there, self::FAILED);

                    throw $failure;
                }
                fwrite($there, self::READY);
                stream_set_timeout($there, (int) (2 * self::PATIENCE));
                fread($there, 1);
                $this->ask($this->seconds, $cache);

                return [microtime(true)];
            });
        }
        fclose($there);
        stream_set_timeout($here, (int) self::PATIENCE);
        for ($ready = 0; $ready < $this->processes; $ready += \strlen($said)) {
            $said = (string) fread($here, max(1, $this->processes - $ready));
            if ($said === '' || str_contains($said, self::FAILED)) {
                throw new \RuntimeException(Fork::failure($forks) ?? 'the processes did not get ready');
            }
        }

        return [$forks, $here];
    }

    private function ask(float $seconds, Cache $cache): void
    {
        $cache->remember(self::KEY, 60, function () use ($seconds): string {
            file_put_contents($this->log, '.', \FILE_APPEND);
            usleep((int) (1e6 * $seconds));

            return 'computed';
        }, lease: $this->lease);
    }

    /**
     * @param list<Fork> $forks
     * @return array{computations: int, last: float}
     */
    private function outcome(array $forks, float $start): array
    {
        $end = microtime(true) + self::PATIENCE + $this->processes * $this->seconds;
        $answers = array_merge(...array_map(static fn(Fork $fork): array => $fork->result($end), $forks));

        return ['computations' => $this->computations(), 'last' => max(0.0, max([$start, ...$answers]) - $start)];
    }

    /** @phpstan-impure */
    private function computations(): int
    {
        return \strlen((string) file_get_contents($this->log));
    }
}
