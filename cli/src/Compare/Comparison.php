<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/**
 * The measuring itself: in each round every store is measured once, each by a fresh PHP process, in an order shuffled
 * anew. So what changes during the run (other processes, the processor's clock) meets all stores alike.
 */
final class Comparison
{
    private ?Round $round = null;

    /** @param list<Target> $subjects */
    public function __construct(private readonly Plan $plan, private readonly array $subjects) {}

    /** How many times the progress is told when no store drops out. */
    public function steps(): int
    {
        return $this->plan->rounds * \count($this->subjects) * \count($this->plan->cells());
    }

    /**
     * @param \Closure(int, string): void $progress called with the steps done and what is being measured
     */
    public function run(\Closure $progress): Result
    {
        $subjects = $this->subjects;
        $done = 0;
        /** @var array<string, array<string, list<Measurement>>> $measurements by subject and cell */
        $measurements = [];
        $greetings = [];
        $notMeasured = [];
        for ($round = 1; $round <= $this->plan->rounds; ++$round) {
            shuffle($subjects);
            foreach ($subjects as $i => $subject) {
                $name = $subject->name();
                $tell = static function (Measurement $measurement) use (&$measurements, &$done, $name, $progress): void {
                    $measurements[$name][self::cell($measurement->value, $measurement->operation)][] = $measurement;
                    $progress(++$done, $name);
                };
                $progress($done, $name);
                $this->round = new Round($subject, $this->plan, $tell);
                $greeting = $this->round->run();
                if ($greeting === null || $greeting->unavailable === '') {
                    $greetings[$name] = $greeting ?? $greetings[$name] ?? null;
                    continue;
                }
                if (isset($measurements[$name])) {
                    $this->round->fail('can no longer be opened: ' . $greeting->unavailable);
                    continue;
                }
                $notMeasured[] = new NotMeasured($subject->store, $subject->connection, $greeting->unavailable);
                unset($subjects[$i]);
                $done += \count($this->plan->cells()) * ($this->plan->rounds - $round + 1);
            }
        }

        return new Result($this->rows($measurements), array_filter($greetings), $notMeasured);
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
                foreach ($this->subjects as $subject) {
                    $ofRow = $measurements[$subject->name()][self::cell($value->name, $operation)] ?? [];
                    if ($ofRow !== []) {
                        $rows[] = Row::of($subject, $value, $operation, $ofRow);
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
