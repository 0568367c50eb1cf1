<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Report\PairwiseTests;
use Larder\Cli\Report\Row;
use Larder\Cli\Timing\Interval;
use Larder\Cli\Timing\Statistics;

/**
 * What follows from the figures, in a few lines. A line is left out when its stores were not measured, and a difference is
 * stated only when the interval of the ratio, round by round, does not hold 1; between the fastest of a kind and all others
 * only if PairwiseTests tell them apart, too.
 */
final class Verdict
{
    private const NO_DIFFERENCE = 'no difference beyond the noise';
    private const QUICK = 'None: a quick look has no intervals, so it shows no differences. Run without --quick, in six rounds or more.';

    /** @var array<string, array<string, array<string, Row>>> by operation, value and store; those with a figure */
    private array $rows = [];

    /** @var array<string, Value> those measured, in the order of the report */
    private array $values = [];

    /** @param list<Row> $rows of the table "compare" */
    public function __construct(array $rows)
    {
        $all = Value::all();
        foreach ($rows as $row) {
            $subject = $row->subject;
            $value = $all[(string) $subject->value] ?? null;
            if ($value !== null) {
                $this->values[$value->name] = $value;
                $this->rows[$subject->operation] ??= [];
                if ($row->median > 0.0) {
                    $this->rows[$subject->operation][$value->name][self::name($row)] = $row;
                }
            }
        }
    }

    /** @return list<string> */
    public function lines(): array
    {
        foreach ($this->rows as $values) {
            foreach ($values as $rows) {
                foreach ($rows as $row) {
                    if ($row->low === null) {
                        return [self::QUICK];
                    }
                }
            }
        }
        $operations = array_keys($this->rows);
        $lines = [
            ...array_map(fn(string $operation): string => $this->fastest(Kind::Local, $operation, 'Fastest on one machine'), $operations),
            ...array_map(fn(string $operation): string => $this->fastest(Kind::Server, $operation, 'Fastest server'), $operations),
            ...array_map($this->socket(...), $operations),
            ...array_map($this->serializing(...), $operations),
        ];

        return array_values(array_filter($lines, static fn(string $line): bool => $line !== ''));
    }

    private function fastest(Kind $kind, string $operation, string $title): string
    {
        $scores = $this->scores($kind, $operation);
        $best = array_key_first($scores);
        if ($best === null) {
            return '';
        }
        $examples = [];
        foreach (array_unique([array_key_first($this->values), array_key_last($this->values)]) as $value) {
            $examples[] = \sprintf('%s for %s', Figure::duration($this->rows[$operation][(string) $value][$best]->median ?? 0.0), $value);
        }
        $line = \sprintf('%s, %s: %s (%s)', $title, $operation, $best, implode(', ', $examples));
        $next = '';
        $equal = [];
        $rounds = [];
        foreach (array_keys($scores) as $store) {
            $rounds[$store] = $this->rounds($store, array_keys($this->values), $operation);
        }
        if (!PairwiseTests::canTell(\count($rounds), min(array_map(\count(...), $rounds)))) {
            return $line . \sprintf('; too few rounds to tell %d stores apart', \count($rounds));
        }
        $tests = PairwiseTests::of($rounds);
        foreach (\array_slice(array_keys($scores), 1) as $store) {
            [$ratio, $interval] = $this->ratio($store, $best, array_keys($this->values), $operation);
            if ($interval === null || $interval->contains(1.0) || !$tests->differ($best, $store)) {
                $equal[] = $store;
            } elseif ($next === '') {
                $next = \sprintf('; next: %s, %sx slower%s', $store, Figure::ratio($ratio), self::range($interval, Figure::ratio(...)));
            }
        }

        return $line . ($equal === [] ? '' : \sprintf('; %s: %s', self::NO_DIFFERENCE, implode(', ', $equal))) . $next;
    }

    /**
     * Stores of a kind that have a figure for every value: the geometric mean of their ratios to the fastest of all.
     *
     * @return array<string, float> by name, lowest first
     */
    private function scores(Kind $kind, string $operation): array
    {
        $ratios = [];
        foreach ($this->rows[$operation] ?? [] as $rows) {
            $shared = array_filter($rows, static fn(Row $row): bool => Kind::of($row->subject->store) !== Kind::Process);
            $fastest = min([\INF, ...array_map(static fn(Row $row): float => (float) $row->median, array_values($shared))]);
            foreach ($shared as $name => $row) {
                if (Kind::of($row->subject->store) === $kind) {
                    $ratios[$name][] = (float) $row->median / $fastest;
                }
            }
        }
        $complete = array_filter($ratios, fn(array $ofStore): bool => \count($ofStore) === \count($this->values));
        $scores = array_map(Statistics::geometricMean(...), $complete);
        asort($scores);

        return $scores;
    }

    private function socket(string $operation): string
    {
        $values = [];
        foreach ($this->rows[$operation] ?? [] as $value => $rows) {
            foreach ($rows as $row) {
                $store = $row->subject->store;
                if ($row->subject->connection === 'socket' && isset($rows["$store tcp"])) {
                    $values[$store][] = $value;
                }
            }
        }
        $each = [];
        foreach ($values as $store => $measured) {
            [$ratio, $interval] = $this->ratio("$store socket", "$store tcp", $measured, $operation);
            $each[] = $store . ': ' . ($interval === null || $interval->contains(1.0) ? self::NO_DIFFERENCE : \sprintf(
                '%d%% %s time%s',
                (int) round(100 * abs(1 - $ratio)),
                $ratio < 1 ? 'less' : 'more',
                self::range($ratio < 1 ? new Interval(1 - $interval->high, 1 - $interval->low) : new Interval($interval->low - 1, $interval->high - 1), static fn(float $part): string => \sprintf('%d', (int) round(100 * $part))),
            ));
        }

        return $each === [] ? '' : \sprintf('Unix socket instead of TCP, %s. %s', $operation, implode('; ', $each));
    }

    /**
     * Of the geometric means over values.
     *
     * @param list<string> $values
     * @return array{float, Interval|null}
     */
    private function ratio(string $store, string $to, array $values, string $operation): array
    {
        $a = $this->rounds($store, $values, $operation);
        $b = $this->rounds($to, $values, $operation);
        if ($a === [] || \count($a) !== \count($b)) {
            return [1.0, null];
        }

        return [Statistics::median(array_map(static fn(float $x, float $y): float => $x / $y, $a, $b)), Interval::ofPairedRatio($a, $b)];
    }

    /**
     * @param list<string> $values
     * @return list<float> a store's geometric mean over values, by round
     */
    private function rounds(string $store, array $values, string $operation): array
    {
        $byRound = [];
        foreach ($values as $value) {
            foreach ($this->rows[$operation][$value][$store]->samples ?? [] as $round => $figure) {
                $byRound[$round][] = max(0.1, $figure);
            }
        }

        return array_values(array_map(Statistics::geometricMean(...), $byRound));
    }

    /** @param \Closure(float): string $text */
    private static function range(Interval $interval, \Closure $text): string
    {
        [$low, $high] = [$text($interval->low), $text($interval->high)];

        return $low === $high ? '' : " ($low to $high)";
    }

    private function serializing(string $operation): string
    {
        [$array, $string] = $this->comparable();
        if ($array === null || $string === null) {
            return '';
        }
        $each = [];
        foreach ([Kind::Local, Kind::Server] as $kind) {
            foreach (\array_slice(array_keys($this->scores($kind, $operation)), 0, 2) as $store) {
                $ofArray = $this->rows[$operation][$array->name][$store]->median ?? null;
                $ofString = $this->rows[$operation][$string->name][$store]->median ?? null;
                if ($ofArray !== null && $ofString !== null) {
                    $each[] = \sprintf('%s %s and %s', $store, Figure::duration($ofArray), Figure::duration($ofString));
                }
            }
        }

        return $each === [] ? '' : \sprintf(
            '%s: the %s and a string of similar length (%s) take %s',
            $operation === Operation::Get->value ? 'Unserializing' : 'Serializing',
            $array->name,
            $string->name,
            implode(', ', $each),
        );
    }

    /** @return array{Value|null, Value|null} the largest array measured, and the string nearest to it, at most twice as far */
    private function comparable(): array
    {
        $array = $string = null;
        foreach ($this->values as $value) {
            if ($value->isArray && ($array === null || $value->bytes > $array->bytes)) {
                $array = $value;
            }
        }
        foreach ($this->values as $value) {
            if ($array !== null && !$value->isArray && self::distance($value, $array) < log(2) && ($string === null || self::distance($value, $array) < self::distance($string, $array))) {
                $string = $value;
            }
        }

        return [$array, $string];
    }

    private static function distance(Value $a, Value $b): float
    {
        return abs(log($a->bytes / $b->bytes));
    }

    private static function name(Row $row): string
    {
        return implode(', ', [$row->subject->name(), ...array_values($row->subject->settings)]);
    }
}
