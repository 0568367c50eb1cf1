<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Figure;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Row;
use Larder\Cli\Timing\Interval;

/** Hit rates of stores if the data are larger than the memory, as far as the report has measured them. */
final class Memory
{
    /** @var array<int|string, array<string, Estimate>> by ratio */
    private array $hitRates = [];

    public function __construct(private readonly Report $report) {}

    /** @return list<string> */
    public function lines(Profile $profile): array
    {
        [$data, $memory] = [$profile->dataMb, $profile->memoryMb];
        if ($data === null || $memory === null) {
            return [];
        }
        if ($data <= $memory) {
            return [
                \sprintf('Your data (%s MB) fit into the memory (%s MB).', Text::number($data), Text::number($memory)),
            ];
        }
        $lines = [\sprintf(
            'Your data (%s MB) are %s times the memory (%s MB): a store in memory evicts.',
            Text::number($data),
            Figure::ratio($data / $memory),
            Text::number($memory),
        )];
        $rates = $this->hitRates($data / $memory);
        foreach ($rates as $store => $rate) {
            $lines[] = \sprintf('%s then found %s %% of its keys.', $store, Text::number(round($rate->value, 1)));
        }
        if ($rates === []) {
            return [
                ...$lines,
                'This result does not tell what each store finds then. Measure it: larder compare --workload pressure',
            ];
        }
        if (array_filter(
            $this->report->rows,
            static fn(Row $row): bool => self::ratio($row) > 0.0 && \count($row->samples) < Interval::FEWEST,
        ) !== []) {
            $lines[] = 'These shares have no intervals: small differences may be noise. '
                . 'Measure them in six rounds or more.';
        }
        if ($profile->computeMs === null) {
            $lines[] = 'What the misses cost is not counted: the profile has no compute_ms.';
        }

        return $lines;
    }

    /** @return array<string, Estimate> percent, by store; measured at the ratio that is nearest */
    public function hitRates(float $ratio): array
    {
        return $this->hitRates[(string) $ratio] ??= $this->nearest($ratio);
    }

    /** @return array<string, Estimate> */
    private function nearest(float $ratio): array
    {
        $found = [];
        foreach ($this->report->rows as $row) {
            $of = self::ratio($row);
            if ($row->samples !== [] && $row->median !== null && $of > 0.0) {
                $distance = abs(log($of / $ratio));
                $known = $found[$row->subject->store] ?? null;
                // Several kinds of traffic may have this ratio. The one with the most misses counts.
                if (
                    $known === null
                    || $distance < $known['distance']
                    || ($distance === $known['distance'] && $row->median < $known['rate']->value)
                ) {
                    $found[$row->subject->store] = [
                        'distance' => $distance,
                        'rate' => \count($row->samples) < Interval::FEWEST
                            ? Estimate::constant($row->median)
                            : Estimate::ofRounds($row->samples),
                    ];
                }
            }
        }

        return array_map(static fn(array $of): Estimate => $of['rate'], $found);
    }

    /** Size of the data divided by the memory, in a row with a hit rate; 0.0 for any other row. */
    private static function ratio(Row $row): float
    {
        $isRate = $row->subject->unit === Unit::Percent
            && preg_match('/^([\d.]+)x the memory$/D', $row->subject->settings['data'] ?? '', $match) === 1;

        return $isRate ? (float) $match[1] : 0.0;
    }
}
