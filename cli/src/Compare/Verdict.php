<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Timing\Statistics;

/** What follows from the figures, in a few lines. Each says nothing when its stores were not measured. */
final class Verdict
{
    public function __construct(private readonly Plan $plan, private readonly Result $result) {}

    /** @return list<string> */
    public function lines(): array
    {
        $lines = [];
        foreach ($this->plan->operations as $operation) {
            $lines[] = $this->fastest(Kind::Local, $operation, 'Fastest on one machine');
        }
        foreach ($this->plan->operations as $operation) {
            $lines[] = $this->fastest(Kind::Server, $operation, 'Fastest server');
        }
        foreach ($this->plan->operations as $operation) {
            $lines[] = $this->socket($operation);
        }
        foreach ($this->plan->operations as $operation) {
            $lines[] = $this->serializing($operation);
        }

        return array_values(array_filter($lines, static fn(string $line): bool => $line !== ''));
    }

    private function fastest(Kind $kind, Operation $operation, string $title): string
    {
        $scores = $this->scores($kind, $operation);
        $best = array_key_first($scores);
        if ($best === null) {
            return '';
        }
        $examples = [];
        foreach ($this->plan->values as $i => $value) {
            $row = $this->row($best, $value, $operation);
            if (($i === 0 || $i === \count($this->plan->values) - 1) && $row?->median !== null) {
                $examples[] = \sprintf('%s for %s', Figure::duration($row->median), $value->name);
            }
        }
        $line = \sprintf('%s, %s: %s (%s)', $title, $operation->value, $best, implode(', ', $examples));
        $next = array_keys($scores)[1] ?? null;

        return $next === null ? $line : \sprintf('%s. Next: %s, %s times as long', $line, $next, Figure::ratio($scores[$next] / $scores[$best]));
    }

    /**
     * Stores of a kind that have a figure for every value, and how many times as long as the fastest of all they take.
     *
     * @return array<string, float> by Target::name(), lowest first
     */
    private function scores(Kind $kind, Operation $operation): array
    {
        $ratios = [];
        foreach ($this->plan->values as $value) {
            $fastest = $this->result->fastest($value, $operation)?->median;
            foreach ($this->result->ranking($value, $operation) as $row) {
                if ($row->subject->kind === $kind && $row->median > 0.0 && $fastest > 0.0) {
                    $ratios[$row->subject->name()][] = $row->median / $fastest;
                }
            }
        }
        $complete = array_filter($ratios, fn(array $ofStore): bool => \count($ofStore) === \count($this->plan->values));
        $scores = array_map(Statistics::geometricMean(...), $complete);
        asort($scores);

        return $scores;
    }

    private function socket(Operation $operation): string
    {
        $saved = [];
        foreach ($this->result->rows as $row) {
            $tcp = $this->row($row->subject->store . ' tcp', $row->value, $operation)?->median;
            if ($row->operation === $operation && $row->subject->connection === 'socket' && $row->median !== null && $tcp > 0.0) {
                $saved[$row->subject->store][] = 100 * (1 - $row->median / $tcp);
            }
        }
        if ($saved === []) {
            return '';
        }
        $medians = array_map(Statistics::median(...), $saved);
        $each = array_map(static fn(string $store, float $percent): string => \sprintf('%s %.0f%%', $store, $percent), array_keys($medians), $medians);

        return \sprintf('A unix socket saves %.0f%% of a %s over TCP (%s)', Statistics::median(array_values($medians)), $operation->value, implode(', ', $each));
    }

    private function serializing(Operation $operation): string
    {
        [$array, $string] = $this->comparable();
        if ($array === null || $string === null) {
            return '';
        }
        $each = [];
        foreach ([Kind::Local, Kind::Server] as $kind) {
            foreach (\array_slice(array_keys($this->scores($kind, $operation)), 0, 2) as $store) {
                $ofArray = $this->row($store, $array, $operation)?->median;
                $ofString = $this->row($store, $string, $operation)?->median;
                if ($ofArray !== null && $ofString !== null) {
                    $each[] = \sprintf('%s %s and %s', $store, Figure::duration($ofArray), Figure::duration($ofString));
                }
            }
        }

        return $each === [] ? '' : \sprintf(
            'What %s costs: the %s and a string of about its length (%s) take %s',
            $operation === Operation::Get ? 'unserializing' : 'serializing',
            $array->name,
            $string->name,
            implode(', ', $each),
        );
    }

    /** @return array{Value|null, Value|null} the largest array measured, and the string nearest to it, at most twice as far */
    private function comparable(): array
    {
        $array = $string = null;
        foreach ($this->plan->values as $value) {
            if ($value->isArray && ($array === null || $value->bytes > $array->bytes)) {
                $array = $value;
            }
        }
        foreach ($this->plan->values as $value) {
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

    private function row(string $subject, Value $value, Operation $operation): ?Row
    {
        foreach ($this->result->rows as $row) {
            if ($row->subject->name() === $subject && $row->value->name === $value->name && $row->operation === $operation) {
                return $row;
            }
        }

        return null;
    }
}
