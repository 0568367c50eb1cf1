<?php

declare(strict_types=1);

namespace Larder\Tool\Stampede;

use Larder\Cache;
use Larder\Testing\Fork;

/**
 * Many processes that ask at the same moment for a value that is not there. They are forked and connected before, and wait
 * at a barrier: a socket that is closed to let them go.
 */
final class Stampede
{
    private const KEY = 'stampede';

    /** One byte for each computation. */
    private readonly string $log;

    /**
     * @param string $directory for a file
     * @param int $processes how many ask
     * @param float $seconds that the computation takes
     * @param float $lease seconds, where a process cannot be seen
     */
    public function __construct(
        private readonly string $address,
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

    /** @return array{computations: int, last: float} last: seconds from the kill of the one that computed; it counts too */
    public function killed(): array
    {
        $this->begin();
        [$forks, $go] = $this->waiting();
        $killed = Fork::start(fn(): mixed => $this->ask(60.0));
        while ($this->computations() === 0) {
            usleep(200);
        }
        fclose($go);
        usleep(100_000); // the others wait
        $killed->kill();

        return $this->outcome($forks, microtime(true));
    }

    private function begin(): void
    {
        Cache::open($this->address)->clear();
        file_put_contents($this->log, '');
    }

    /** @return array{list<Fork>, resource} */
    private function waiting(): array
    {
        $pair = stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0);
        if ($pair === false) {
            throw new \RuntimeException('no pair of sockets was to be had');
        }
        [$there, $here] = $pair;
        $ready = [];
        for ($i = 0; $i < $this->processes; ++$i) {
            $ready[] = Fork::start(function () use ($there, $here): float {
                fclose($here);
                $cache = Cache::open($this->address);
                // Connected, and with the code loaded, as a worker is that has served requests before.
                $cache->remember('another', 60, static fn(): string => 'value');
                fread($there, 1);
                $this->ask($this->seconds, $cache);

                return microtime(true);
            });
        }
        fclose($there);
        usleep(1_000_000);

        return [$ready, $here];
    }

    private function ask(float $seconds, ?Cache $cache = null): mixed
    {
        return ($cache ?? Cache::open($this->address))->remember(self::KEY, 60, function () use ($seconds): string {
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
        $last = $start;
        foreach ($forks as $fork) {
            $end = $fork->result();
            $last = max($last, \is_float($end) ? $end : \INF);
        }

        return ['computations' => $this->computations(), 'last' => $last - $start];
    }

    /** @phpstan-impure */
    private function computations(): int
    {
        return \strlen((string) file_get_contents($this->log));
    }
}
