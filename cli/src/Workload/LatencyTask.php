<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Timing\Histogram;

/** See Latency. */
final class LatencyTask implements Task
{
    /**
     * @param string $address see Stores::open()
     * @param list<array{int, Keys, int}> $mixes percent of gets, keys, processes
     * @param int $milliseconds for the single operations of each mix, and again for the throughput
     */
    public function __construct(
        private readonly string $store,
        private readonly ?string $connection,
        #[\SensitiveParameter]
        private readonly string $address,
        private readonly array $mixes,
        private readonly int $milliseconds,
    ) {}

    public function name(): string
    {
        return rtrim('latency, ' . $this->store . ' ' . $this->connection);
    }

    public function subjects(): array
    {
        $subjects = [];
        foreach ($this->mixes as [$reads, $keys, $processes]) {
            array_push($subjects, ...array_values($this->subjectsOf($reads, $keys, $processes)));
        }

        $subjects[] = Latency::subject($this->store, $this->connection, Latency::LOST);

        return $subjects;
    }

    public function run(\Closure $tell): void
    {
        Traffic::fill(Stores::open($this->address));
        $operations = $losses = $wrong = 0;
        foreach ($this->mixes as [$reads, $keys, $processes]) {
            $findings = Findings::merged(Team::run($processes, function (int $process) use ($reads, $keys): \Closure {
                $store = Stores::open($this->address);
                $traffic = new Traffic($store, $reads, $keys, $process);
                $traffic->counted(1_000_000, new Findings()); // connects, and loads the code

                return function () use ($traffic): array {
                    $findings = new Findings();
                    $traffic->timed(1_000_000 * $this->milliseconds, $findings);
                    $traffic->counted(1_000_000 * $this->milliseconds, $findings);

                    return $findings->numbers();
                };
            }));
            $operations += $findings->operations;
            $losses += $findings->lost + $findings->refused;
            $wrong += $findings->wrong;
            foreach ($this->subjectsOf($reads, $keys, $processes) as $operation => $subject) {
                $histogram = match ($operation) {
                    'get' => $findings->gets,
                    'set' => $findings->sets,
                    default => null,
                };
                $tell(self::sample($subject, $histogram, $findings));
            }
        }
        // A cache may lose values. Their number is in a row of its own. Wrong values are a failure.
        $lost = Latency::subject($this->store, $this->connection, Latency::LOST);
        $tell(
            $wrong > 0
                ? Sample::failed($lost, 'gives wrong values', $wrong)
                : new Sample($lost, 1e6 * $losses / max(1, $operations)),
        );
    }

    /** @return non-empty-array<string, Subject> by operation */
    private function subjectsOf(int $reads, Keys $keys, int $processes): array
    {
        $subjects = [];
        foreach ($reads === 100 ? ['get', Latency::BOTH] : ['get', 'set', Latency::BOTH] as $operation) {
            $subjects[$operation] = Latency::subject(
                $this->store,
                $this->connection,
                $operation,
                [
                    'mix' => \sprintf('%d:%d', $reads, 100 - $reads),
                    'keys' => $keys->value,
                    'processes' => (string) $processes,
                ],
            );
        }

        return $subjects;
    }

    private static function sample(Subject $subject, ?Histogram $histogram, Findings $findings): Sample
    {
        if ($findings->wrong > 0) {
            return Sample::failed($subject, 'gives wrong values', $findings->wrong);
        }

        return match ($subject->operation) {
            Latency::BOTH => new Sample($subject, $findings->rate),
            default => $histogram === null || $histogram->count() === 0
                ? Sample::failed($subject, 'did not finish one operation')
                : new Sample($subject, (float) $histogram->percentile(50), histogram: $histogram),
        };
    }
}
