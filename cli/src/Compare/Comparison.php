<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/**
 * The measuring itself: in each round every store is measured once, each by a fresh PHP process, in an order shuffled
 * each time. So what changes during the run (other processes, the processor's clock) meets all stores alike.
 */
final class Comparison
{
    private ?Round $round = null;

    /** @param list<Target> $targets */
    public function __construct(private readonly Plan $plan, private readonly array $targets) {}

    /** How many times the progress is told when no store drops out. */
    public function steps(): int
    {
        return $this->plan->rounds * \count($this->targets) * \count($this->plan->cells());
    }

    /**
     * @param \Closure(int, string): void $progress called with the steps done and what is being measured
     */
    public function run(\Closure $progress): Result
    {
        $targets = $this->targets;
        $done = 0;
        /** @var array<string, array<string, list<Measurement>>> $measurements by target and cell */
        $measurements = [];
        $handshakes = [];
        $notMeasured = [];
        for ($round = 1; $round <= $this->plan->rounds; ++$round) {
            shuffle($targets);
            foreach ($targets as $i => $target) {
                $name = $target->name();
                $tell = static function (Measurement $measurement) use (&$measurements, &$done, $name, $progress): void {
                    $measurements[$name][self::cell($measurement->value, $measurement->operation)][] = $measurement;
                    $progress(++$done, $name);
                };
                $progress($done, $name);
                $this->round = new Round($target, $this->plan, $tell);
                $handshake = $this->round->run();
                if ($handshake === null || $handshake->unavailable === '') {
                    $handshakes[$name] = $handshake ?? $handshakes[$name] ?? null;
                    continue;
                }
                if (isset($measurements[$name])) {
                    $this->round->fail('can no longer be opened: ' . $handshake->unavailable);
                    continue;
                }
                $notMeasured[] = new NotMeasured($target->store, $target->connection, $handshake->unavailable);
                unset($targets[$i]);
                $done += \count($this->plan->cells()) * ($this->plan->rounds - $round + 1);
            }
        }

        return new Result($this->rows($measurements), array_filter($handshakes), $notMeasured);
    }

    /** Ends the process that measures, if there is one. */
    public function stop(): void
    {
        $this->round?->stop();
    }

    /**
     * @param array<string, array<string, list<Measurement>>> $measurements
     * @return list<Row> in the order of the plan
     */
    private function rows(array $measurements): array
    {
        $rows = [];
        foreach ($this->plan->values as $value) {
            foreach ($this->plan->operations as $operation) {
                foreach ($this->targets as $target) {
                    $ofRow = $measurements[$target->name()][self::cell($value->name, $operation)] ?? [];
                    if ($ofRow !== []) {
                        $rows[] = Row::of($target, $value, $operation, $ofRow);
                    }
                }
            }
        }

        return $rows;
    }

    private static function cell(string $value, Operation $operation): string
    {
        return $operation->value . ' ' . $value;
    }
}
