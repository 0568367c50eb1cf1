<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;

/** See Rate. */
final class RateTask implements Task
{
    /** Percent of the operations that are gets. */
    private const READS = 90;

    /**
     * @param string $address see Stores::open()
     * @param non-empty-list<int> $rates operations in a second, of all processes
     */
    public function __construct(
        private readonly string $store,
        private readonly ?string $connection,
        #[\SensitiveParameter]
        private readonly string $address,
        private readonly array $rates,
        private readonly int $processes,
        private readonly int $milliseconds,
    ) {}

    public function name(): string
    {
        return rtrim('rate, ' . $this->store . ' ' . $this->connection);
    }

    public function subjects(): array
    {
        return [
            ...array_merge(...array_map($this->subjectsOf(...), $this->rates)),
            Rate::subject($this->store, $this->connection, Latency::LOST),
        ];
    }

    public function run(\Closure $tell): void
    {
        Traffic::fill(Stores::open($this->address));
        $operations = $losses = 0;
        foreach ($this->rates as $rate) {
            $findings = Findings::merged(Team::run($this->processes, function (int $process) use ($rate): \Closure {
                $traffic = new Traffic(Stores::open($this->address), self::READS, Keys::Zipf, $process);
                $traffic->counted(1_000_000, new Findings()); // connects, and loads the code

                return function () use ($traffic, $rate): array {
                    $findings = new Findings();
                    $traffic->atRate($rate / $this->processes, 1_000_000 * $this->milliseconds, $findings);

                    return $findings->numbers();
                };
            }));
            $operations += $findings->operations;
            $losses += $findings->lost + $findings->refused;
            [$get, $set, $reached] = $this->subjectsOf($rate);
            foreach ([[$get, $findings->gets], [$set, $findings->sets]] as [$subject, $histogram]) {
                $tell(match (true) {
                    $findings->wrong > 0 => Sample::failed($subject, 'gives wrong values', $findings->wrong),
                    $histogram->count() === 0 => Sample::failed($subject, 'did not start one operation'),
                    default => new Sample($subject, (float) $histogram->percentile(50), histogram: $histogram),
                });
            }
            $tell(new Sample($reached, $findings->rate));
        }
        $tell(new Sample(
            Rate::subject($this->store, $this->connection, Latency::LOST),
            1e6 * $losses / max(1, $operations),
        ));
    }

    /** @return array{Subject, Subject, Subject} */
    private function subjectsOf(int $rate): array
    {
        $settings = ['rate' => number_format($rate) . '/s', 'processes' => (string) $this->processes];

        return [
            Rate::subject($this->store, $this->connection, 'get', $settings),
            Rate::subject($this->store, $this->connection, 'set', $settings),
            Rate::subject($this->store, $this->connection, Rate::REACHED, $settings),
        ];
    }
}
