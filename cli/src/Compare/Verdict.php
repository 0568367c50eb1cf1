<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Timing\Statistics;

/**
 * What follows from the figures, in a few lines. A line is left out when its stores were not measured, and a difference is
 * stated only when it is beyond the noise of the rounds.
 */
final class Verdict
{
    private const NO_DIFFERENCE = 'no difference beyond the noise';

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
        $rounds = $this->rounds($best, $this->plan->values, $operation);
        $differs = fn(string $store): bool => Statistics::differ($rounds, $this->rounds($store, $this->plan->values, $operation));
        $others = array_slice(array_keys($scores), 1);
        $slower = array_values(array_filter($others, $differs));
        $equal = array_diff($others, $slower);
        if ($equal !== []) {
            $line .= \sprintf('; %s: %s', self::NO_DIFFERENCE, implode(', ', $equal));
        }

        return $slower === [] ? $line : \sprintf('%s; next: %s, %sx slower', $line, $slower[0], Figure::ratio($scores[$slower[0]] / $scores[$best]));
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
                if ($row->target->kind === $kind && $row->median > 0.0 && $fastest > 0.0) {
                    $ratios[$row->target->name()][] = $row->median / $fastest;
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
        $values = [];
        foreach ($this->result->rows as $row) {
            $tcp = $this->row($row->target->store . ' tcp', $row->value, $operation);
            if ($row->operation === $operation && $row->target->connection === 'socket' && $row->figures !== [] && $tcp !== null && $tcp->figures !== []) {
                $values[$row->target->store][] = $row->value;
            }
        }
        $each = [];
        foreach ($values as $store => $measured) {
            $socket = $this->rounds("$store socket", $measured, $operation);
            $tcp = $this->rounds("$store tcp", $measured, $operation);
            $saved = Statistics::differ($socket, $tcp) ? (int) round(100 * (1 - Statistics::median($socket) / Statistics::median($tcp))) : 0;
            $each[] = $store . ': ' . ($saved === 0 ? self::NO_DIFFERENCE : \sprintf('%d%% %s time', abs($saved), $saved > 0 ? 'less' : 'more'));
        }

        return $each === [] ? '' : \sprintf('Unix socket instead of TCP, %s. %s', $operation->value, implode('; ', $each));
    }

    /**
     * A store's geometric mean over values, by round.
     *
     * @param non-empty-list<Value> $values for which it has figures
     * @return non-empty-list<float>
     */
    private function rounds(string $store, array $values, Operation $operation): array
    {
        $byRound = [];
        foreach ($values as $value) {
            foreach ($this->row($store, $value, $operation)->figures ?? [] as $round => $figure) {
                $byRound[$round][] = max(0.1, $figure);
            }
        }

        $means = array_map(Statistics::geometricMean(...), array_values($byRound));

        return $means !== [] ? $means : throw new \LogicException("$store has no figures");
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
            '%s: the %s and a string of similar length (%s) take %s',
            $operation === Operation::Get ? 'Unserializing' : 'Serializing',
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

    private function row(string $target, Value $value, Operation $operation): ?Row
    {
        foreach ($this->result->rows as $row) {
            if ($row->target->name() === $target && $row->value->name === $value->name && $row->operation === $operation) {
                return $row;
            }
        }

        return null;
    }
}
