<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Resampling;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Setup;
use Larder\Cli\Timing\Statistics;

/**
 * What operations cost in each setup, by the size of the value: measured sizes, and in between them a straight line on
 * logarithmic scales. Below the smallest and above the largest measured size, the cost is that one's.
 */
final class Costs
{
    public const GET = 'get';
    public const SET = 'set';
    public const CONNECT = 'connect+get+close';

    /** @var array<string, Setup> by name */
    private array $setups = [];

    /** @var array<string, array<string, array<string, array<int, Estimate>>>> by setup, operation, "string" or "other", and bytes */
    private array $points = [];

    /** @var array<string, list<string>> what went wrong, by setup */
    private array $failures = [];

    /** @param string $context what its tables have in common, as "2016", and their settings */
    private function __construct(public readonly string $context) {}

    /**
     * @param list<Row> $rows
     * @return array<string, self> by context: the tables of a study ("2016: write, 20 KB string" is of 2016), and those of
     *                             their settings that are not the store's
     */
    public static function of(array $rows): array
    {
        $all = [];
        $resampling = new Resampling();
        foreach ($rows as $row) {
            $subject = $row->subject;
            if ($subject->unit !== Unit::Nanoseconds || $subject->bytes === null || $subject->value === null || !\in_array($subject->operation, [self::GET, self::SET, self::CONNECT], true)) {
                continue;
            }
            $context = explode(':', $subject->table)[0] . substr(Setup::context($subject), \strlen($subject->table));
            ($all[$context] ??= new self($context))->add($row, $resampling);
        }

        return $all;
    }

    /** @return array<string, Setup> by name: those without failures */
    public function setups(): array
    {
        return array_diff_key($this->setups, $this->failures);
    }

    /** @return array<string, list<string>> what went wrong, by setup */
    public function failures(): array
    {
        return array_map(static fn(array $problems): array => array_values(array_unique($problems)), $this->failures);
    }

    /** @return array<string, array<int, true>> sizes measured, by "string" and "other" */
    public function sizes(): array
    {
        $sizes = [];
        foreach ($this->points as $operations) {
            foreach ($operations as $types) {
                foreach ($types as $type => $points) {
                    $sizes[$type] = ($sizes[$type] ?? []) + array_fill_keys(array_keys($points), true);
                }
            }
        }

        return array_map(static function (array $ofType): array {
            ksort($ofType);

            return $ofType;
        }, $sizes);
    }

    /** @return Estimate|null nanoseconds; null when it was not measured */
    public function at(string $setup, string $operation, string $type, int $bytes): ?Estimate
    {
        return self::between($this->points[$setup][$operation][$type] ?? [], $bytes);
    }

    /** @return Estimate|null what a request saves with another setup: of values that were measured with both */
    public function saving(string $from, string $to, Profile $profile): ?Estimate
    {
        $saving = null;
        foreach ([self::GET => $profile->readShare * $profile->hitRate, self::SET => 1 - $profile->readShare] as $operation => $part) {
            foreach (['string' => $profile->strings, 'other' => $profile->others] as $type => $shares) {
                $before = $this->points[$from][$operation][$type] ?? [];
                $after = $this->points[$to][$operation][$type] ?? [];
                foreach ($shares as $bytes => $share) {
                    $a = self::between(array_intersect_key($before, $after), max(1, $bytes));
                    $b = self::between(array_intersect_key($after, $before), max(1, $bytes));
                    if ($a !== null && $b !== null) {
                        $saving = ($saving ?? Estimate::constant(0.0))->plus($a->minus($b)->times($part * $share * $profile->operationsPerRequest));
                    }
                }
            }
        }

        return $saving;
    }

    /** @param array<int, Estimate> $points by bytes */
    private static function between(array $points, int $bytes): ?Estimate
    {
        ksort($points);
        $below = $above = null;
        foreach (array_keys($points) as $measured) {
            if ($measured <= $bytes) {
                $below = $measured;
            } else {
                $above ??= $measured;
            }
        }
        if ($below === null || $above === null) {
            return $points[$below ?? $above ?? -1] ?? null;
        }
        $part = log($bytes / $below) / log($above / $below);

        return $points[$below]->with($points[$above], static fn(float $a, float $b): float => $a ** (1 - $part) * $b ** $part);
    }

    /** @return Estimate|null of all that a request does in the cache; null when something of it was not measured */
    public function perRequest(string $setup, Profile $profile): ?Estimate
    {
        $get = $this->mean($setup, self::GET, $profile);
        $set = $this->mean($setup, self::SET, $profile);
        // A get that finds nothing is as short as one of the smallest value.
        $miss = $this->at($setup, self::GET, 'string', 1) ?? $this->at($setup, self::GET, 'other', 1);
        $reads = $get === null || $miss === null ? null : $get->times($profile->hitRate)->plus($miss->times(1 - $profile->hitRate));
        if (($reads === null && $profile->readShare > 0.0) || ($set === null && $profile->readShare < 1.0)) {
            return null;
        }
        $none = Estimate::constant(0.0);

        return ($reads ?? $none)->times($profile->readShare)->plus(($set ?? $none)->times(1 - $profile->readShare))->times($profile->operationsPerRequest);
    }

    /** @return Estimate|null of one operation, over the sizes of the profile */
    public function mean(string $setup, string $operation, Profile $profile): ?Estimate
    {
        $mean = Estimate::constant(0.0);
        foreach (['string' => $profile->strings, 'other' => $profile->others] as $type => $shares) {
            // Where only one kind of value was measured, it stands for the other.
            $measured = isset($this->points[$setup][$operation][$type]) ? $type : ($type === 'string' ? 'other' : 'string');
            foreach ($shares as $bytes => $share) {
                $cost = $this->at($setup, $operation, $measured, max(1, $bytes));
                if ($cost === null) {
                    return null;
                }
                $mean = $mean->plus($cost->times($share));
            }
        }

        return $mean;
    }

    private function add(Row $row, Resampling $resampling): void
    {
        $setup = Setup::of($row->subject);
        if ($row->failures > 0) {
            $this->setups[$setup->name()] = $setup;
            $this->failures[$setup->name()][] = $row->problem;
        }
        $draws = $row->median > 0.0 ? $resampling->medians($row->samples) : null;
        if ($draws !== null && $row->samples !== []) {
            $this->setups[$setup->name()] = $setup;
            $type = preg_match('/array|object|row|DTO/i', (string) $row->subject->value) === 1 ? 'other' : 'string';
            $this->points[$setup->name()][$row->subject->operation][$type][max(1, (int) $row->subject->bytes)] = new Estimate(
                max(0.1, Statistics::median($row->samples)), // as the draws are: a file of somebody else may tell another median
                array_map(static fn(float $draw): float => max(0.1, $draw), $draws),
            );
        }
    }
}
