<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Compare\Figure;
use Larder\Cli\Compare\Kind;
use Larder\Cli\Report\PairwiseTests;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Setup;
use Larder\Cli\Timing\Interval;
use Larder\Driver\Scope;
use Larder\Drivers;

/**
 * What follows from a report for a program: which store, what to change first, how much that saves, and how sure it is. The
 * figures alone decide; no store has a rule of its own. Every difference has its 95 % interval, and where that holds
 * "none", none is stated. The rules: docs/advice.md.
 */
final class Advice
{
    private const COMPARE = 'compare';
    private const READ_SHARES = ['100 %' => 1.0, '99 %' => 0.99, '90 %' => 0.9, '50 %' => 0.5];
    private const MOST_OTHERS = 5;

    /** A value is far from all measured ones if it is so many times as large as the largest, or as small. */
    private const FAR = 4;

    /** The share of far values from which on the advice warns. */
    private const MANY = 0.1;

    private readonly Candidates $candidates;
    private readonly Memory $memory;

    /** @param array<string, Costs> $contexts */
    private function __construct(
        private readonly Report $report,
        private readonly Costs $costs,
        private readonly array $contexts,
        private readonly Profile $profile,
        private readonly bool $isOwn,
    ) {
        $this->candidates = new Candidates($costs->setups(), $profile->machines);
        $this->memory = new Memory($report);
    }

    /**
     * @param Profile|null $profile null: the measured values in equal parts
     * @return array<string, list<string>> sentences by title
     */
    public static function of(Report $report, ?Profile $profile = null): array
    {
        $contexts = Costs::of($report->rows);
        $contexts = array_filter($contexts, static fn(Costs $costs): bool => $costs->sizes() !== []);
        if ($contexts === []) {
            return ['No advice' => ['This result has no gets and sets with an interval. Measure in six rounds or more, without --quick: larder compare --json FILE']];
        }
        $first = $contexts[self::COMPARE] ?? reset($contexts);
        $advice = new self($report, $first, $contexts, $profile ?? self::equalParts($first), $profile !== null);
        $stores = \count($advice->candidates->onOneMachine);
        $rounds = $first->rounds();
        if (!PairwiseTests::canTell($stores, $rounds)) {
            return ['No advice' => [\sprintf('%d rounds cannot tell %d stores apart. Measure in %d rounds or more.', $rounds, $stores, PairwiseTests::roundsFor($stores))]];
        }

        return array_filter($advice->sections(), static fn(array $lines): bool => $lines !== []);
    }

    /** @return array<string, list<string>> */
    private function sections(): array
    {
        $machines = $this->profile->machines;

        return [
            'Careful' => [...array_map(static fn(string $spoiler): string => 'This run may be spoiled: ' . $spoiler, $this->report->spoilers), ...$this->farFromMeasured()],
            ...($machines === null || $machines === 1 ? ['Which store, on one machine' => $this->store($this->candidates->onOneMachine, 'that processes share')] : []),
            ...($machines === null || $machines > 1 ? ['Which store, for several machines' => $this->store($this->candidates->onSeveral, 'that other machines reach')] : []),
            'By size' => $this->bySize(),
            'By read share' => $this->isOwn ? [] : $this->byReadShare(),
            'Memory' => $this->memory->lines($this->profile),
            ...(new Changes($this->costs, $this->contexts, $this->profile))->lines(),
            'Misses' => $this->misses(),
            'Not considered' => $this->notConsidered(),
            'Assumed' => $this->assumptions(),
        ];
    }

    /**
     * @param list<string> $setups
     * @param string $which stores these are
     * @return list<string>
     */
    private function store(array $setups, string $which): array
    {
        $ranking = Ranking::of($this->each($setups, fn(string $setup): ?Estimate => $this->perRequest($setup)));
        if ($ranking === null) {
            return match (true) {
                $setups === [] && !$this->isOwn => [], // nobody asked for it
                $setups === [] => [\sprintf('None: no store %s was measured.', $which)],
                $this->profile->readShare < 1.0 && !$this->costs->hasSets() => ['None: this result has no sets, but the profile does. Measure both: larder compare --json FILE'],
                default => ['None: of no store was everything measured that the profile needs.'],
            };
        }
        $interval = $ranking->cost->interval();
        $lines = [
            \sprintf('Take %s: %s per request (%s), so %s for 1,000 requests.', $ranking->winners(), Figure::duration($ranking->cost->value), Text::range($interval, Figure::duration(...)), Figure::duration(1000 * $ranking->cost->value)),
        ];
        if (\count($ranking->best) > 1) {
            $lines[] = 'The figures show no difference between these: choose by what you run already.';
        }
        if ($this->profile->requestsPerSecond !== null) {
            $lines[] = \sprintf('At %s requests per second, that is %s of every second.', Text::number(round($this->profile->requestsPerSecond, 1)), Figure::duration($this->profile->requestsPerSecond * $ranking->cost->value));
        }
        array_push($lines, ...$this->savingOfToday($setups, $ranking));
        foreach ($ranking->best as $name) {
            $lines[] = \sprintf('%s is shared by %s.', $name, self::sharers($this->costs->setups()[$name]->store));
        }
        foreach (\array_slice($ranking->others, 0, self::MOST_OTHERS) as $name => ['ratio' => $ratio, 'interval' => $interval]) {
            $cost = $this->perRequest($name);
            $lines[] = \sprintf('%s takes %s times as long (%s)%s.', $name, Figure::ratio($ratio), Text::range($interval, Figure::ratio(...)), $cost === null ? '' : ': ' . Figure::duration(1000 * $cost->value) . ' for 1,000 requests');
        }
        if (\count($ranking->others) > self::MOST_OTHERS) {
            $lines[] = \sprintf('%d others take longer.', \count($ranking->others) - self::MOST_OTHERS);
        }

        return $lines;
    }

    /**
     * @param list<string> $setups
     * @return list<string> what the best one saves, compared with the store of the profile
     */
    private function savingOfToday(array $setups, Ranking $ranking): array
    {
        $today = $this->profile->store;
        $cost = $today !== null && \in_array($today, $setups, true) ? $this->perRequest($today) : null;
        if ($cost === null) {
            return [];
        }
        if (\in_array($today, $ranking->best, true)) {
            return [\sprintf('You use %s: keep it.', $today)];
        }
        $saving = $cost->minus($ranking->cost);

        return [\sprintf(
            'You use %s: %s per request. The change saves %s (%s), %s %% of that%s.',
            $today,
            Figure::duration($cost->value),
            Figure::duration($saving->value),
            Text::range($saving->interval(), Figure::duration(...)),
            Text::number(round(100 * $saving->value / $cost->value, 1)),
            $this->profile->requestsPerSecond === null ? '' : ', or ' . Figure::duration($this->profile->requestsPerSecond * $saving->value) . ' of every second',
        )];
    }

    /** @return list<string> neighbouring sizes with the same answer in one line */
    private function bySize(): array
    {
        $lines = [];
        foreach ($this->costs->sizes() as $type => $sizes) {
            $groups = [];
            foreach (array_keys($sizes) as $bytes) {
                $ranking = Ranking::of($this->each($this->candidates->all, fn(string $setup): ?Estimate => $this->mixed($setup, $type, $bytes, $this->profile->readShare)));
                $last = array_key_last($groups);
                if ($ranking !== null && $last !== null && $groups[$last]['winners'] === $ranking->winners()) {
                    $groups[$last]['to'] = $bytes;
                } elseif ($ranking !== null) {
                    $groups[] = ['winners' => $ranking->winners(), 'from' => $bytes, 'to' => $bytes];
                }
            }
            foreach ($groups as ['winners' => $winners, 'from' => $from, 'to' => $to]) {
                $lines[] = \sprintf('%s of %s: %s.', $type === 'string' ? 'Strings' : 'Arrays and objects', $from === $to ? Text::bytes($from) : Text::bytes($from) . ' to ' . Text::bytes($to), $winners);
            }
        }

        return $lines;
    }

    /** @return list<string> */
    private function byReadShare(): array
    {
        $byWinners = [];
        foreach (self::READ_SHARES as $name => $share) {
            $ranking = Ranking::of($this->each($this->candidates->all, function (string $setup) use ($share): ?Estimate {
                $get = $this->costs->mean($setup, Costs::GET, $this->profile);
                $set = $this->costs->mean($setup, Costs::SET, $this->profile);

                return $get === null || $set === null ? null : $get->times($share)->plus($set->times(1 - $share));
            }));
            if ($ranking !== null) {
                $byWinners[$ranking->winners()][] = $name;
            }
        }

        return array_map(static fn(string $winners, array $shares): string => \sprintf('%s reads: %s.', implode(', ', $shares), $winners), array_keys($byWinners), $byWinners);
    }

    /** @return list<string> */
    private function misses(): array
    {
        $profile = $this->profile;
        if ($profile->computeMs === null) {
            return [];
        }
        $misses = $profile->operationsPerRequest * $profile->readShare * (1 - $profile->hitRate);
        $cost = 1e6 * $profile->computeMs * $misses;
        $cache = Ranking::of($this->each($this->candidates->all, fn(string $setup): ?Estimate => $this->costs->perRequest($setup, $profile)))?->cost->value;
        $line = \sprintf('%s gets of a request miss, and computing their values takes %s.', (Text::number(round($misses, 3))), Figure::duration($cost));
        if ($cache === null) {
            return [$line];
        }

        return [$line . ($cost > $cache
            ? \sprintf(' That is %s times what the cache itself takes: raise the hit rate first (longer ttl, more memory, remember()).', Figure::ratio($cost / max(1.0, $cache)))
            : ' That is less than what the cache itself takes.')];
    }

    /** @return list<string> */
    private function notConsidered(): array
    {
        $lines = [];
        foreach ($this->costs->failures() as $name => $problems) {
            $lines[] = \sprintf('%s, which failed: %s.', $name, implode('; ', $problems));
        }
        $private = array_filter($this->costs->setups(), static fn(Setup $setup): bool => Kind::of($setup->store) === Kind::Process);
        if ($private !== []) {
            $lines[] = \sprintf('%s, which other processes cannot read.', implode(', ', array_keys($private)));
        }
        $incomplete = array_filter($this->candidates->all, fn(string $setup): bool => $this->perRequest($setup) === null);
        if ($incomplete !== []) {
            $lines[] = \sprintf('%s, of which not all was measured that this needs.', implode(', ', $incomplete));
        }
        if ($this->profile->store !== null && !isset($this->costs->setups()[$this->profile->store])) {
            $lines[] = \sprintf('%s, the store of the profile, which was not measured. Known: %s.', $this->profile->store, implode(', ', array_keys($this->costs->setups())));
        }

        return $lines;
    }

    /** @return list<string> */
    private function assumptions(): array
    {
        $profile = $this->profile;
        $lines = [];
        if ($this->costs->context !== self::COMPARE) {
            $lines[] = \sprintf('The figures of %s alone%s.', $this->costs->context, $this->costs->hasSets() ? '' : ', which has no sets');
        }
        $lines[] = \sprintf(
            '%s: %s operations per request, %s %% of them gets, of which %s %% find something.',
            $this->isOwn ? 'From the profile' . ($profile->samples === null ? '' : \sprintf(' (%s samples)', number_format($profile->samples))) : 'No profile was given. The measured values in equal parts',
            Text::number(round($profile->operationsPerRequest, 2)),
            Text::number(round(100 * $profile->readShare, 1)),
            Text::number(round(100 * $profile->hitRate, 1)),
        );
        $sizes = $this->costs->sizes();
        foreach (['string' => $profile->strings, 'other' => $profile->others] as $type => $shares) {
            $shares = array_filter($shares, static fn(float $share): bool => $share > 0.0);
            if ($shares === []) {
                continue;
            }
            $what = $type === 'string' ? 'strings' : 'arrays and objects';
            $measured = $sizes[$type] ?? [];
            if ($measured === []) {
                $lines[] = \sprintf('No %s were measured: those of the profile count as what was measured of the same size.', $what);

                continue;
            }
            $outside = self::outside($shares, $measured);
            if ($outside > 0.005) {
                $lines[] = \sprintf('%.0f %% of the operations have %s of sizes that were not measured: they count as the nearest measured size.', 100 * $outside, $what);
            }
        }
        if ($this->candidates->onSeveral !== [] && ($profile->machines ?? 2) > 1 && !\in_array('network', array_map(static fn(Setup $setup): ?string => $setup->connection, $this->costs->setups()), true)) {
            $lines[] = 'Several machines: servers were measured by TCP on this machine; a network adds its delay to every call.';
        }
        $lines[] = 'Only the time in the store counts, not what the program does around it: whole requests differ by less than these ratios.';
        $lines[] = 'One process at a time, on this machine; ranges are 95 % intervals.';

        return $lines;
    }

    /** @return list<string> where much of the traffic is unlike what was measured */
    private function farFromMeasured(): array
    {
        $lines = [];
        $hasAll = !isset(((array) ($this->report->environment['options'] ?? []))['values']);
        foreach (['string' => $this->profile->strings, 'other' => $this->profile->others] as $type => $shares) {
            $measured = $this->costs->sizes()[$type] ?? [];
            $share = $measured === [] ? 0.0 : self::outside($shares, $measured, self::FAR);
            if ($measured !== [] && $share > self::MANY) {
                $lines[] = \sprintf(
                    '%.0f %% of the operations have %s that are much smaller or larger than any that was measured (%s to %s). Their figures are wrong by more than the intervals tell.%s',
                    100 * $share,
                    $type === 'string' ? 'strings' : 'arrays and objects',
                    Text::bytes(array_key_first($measured)),
                    Text::bytes(array_key_last($measured)),
                    $hasAll ? '' : ' Measure all values, without --values.',
                );
            }
        }

        return $lines;
    }

    /**
     * @param array<int, float> $shares by bytes
     * @param non-empty-array<int, true> $measured by bytes
     * @return float share of sizes that are outside of the measured ones, by more than this factor
     */
    private static function outside(array $shares, array $measured, int $factor = 1): float
    {
        $isOutside = static fn(int $bytes): bool => $bytes * $factor < array_key_first($measured) || $bytes > array_key_last($measured) * $factor;

        return array_sum(array_filter($shares, $isOutside, \ARRAY_FILTER_USE_KEY));
    }

    /** What a request does in the cache, and what it computes because the memory is too small for the data. */
    private function perRequest(string $setup): ?Estimate
    {
        $profile = $this->profile;
        $cost = $this->costs->perRequest($setup, $profile);
        if ($cost === null || $profile->computeMs === null || $profile->dataMb === null || $profile->memoryMb === null || $profile->dataMb <= $profile->memoryMb) {
            return $cost;
        }
        $rates = $this->memory->hitRates($profile->dataMb / $profile->memoryMb);
        $rate = $rates === [] ? Estimate::constant(100.0) : ($rates[$this->costs->setups()[$setup]->store] ?? null);
        if ($rate === null) {
            return null; // what it keeps was not measured, so it cannot be compared with stores that evict
        }
        $missRate = Estimate::constant(1.0)->minus($rate->times(1 / 100));

        return $cost->plus($missRate->times(1e6 * $profile->computeMs * $profile->operationsPerRequest * $profile->readShare * $profile->hitRate));
    }

    private function mixed(string $setup, string $type, int $bytes, float $readShare): ?Estimate
    {
        $get = $this->costs->at($setup, Costs::GET, $type, $bytes);
        $set = $this->costs->at($setup, Costs::SET, $type, $bytes);

        return match (true) {
            $get !== null && $set !== null => $get->times($readShare)->plus($set->times(1 - $readShare)),
            $readShare >= 1.0 || $set === null => $get,
            default => null,
        };
    }

    /**
     * @param list<string> $setups
     * @param \Closure(string): (Estimate|null) $cost
     * @return array<string, Estimate|null>
     */
    private function each(array $setups, \Closure $cost): array
    {
        return array_combine($setups, array_map($cost, $setups));
    }

    /** Without sets, as in most studies, of gets alone: nothing could be advised otherwise. */
    private static function equalParts(Costs $costs): Profile
    {
        $sizes = $costs->sizes();
        [$strings, $others] = [array_keys($sizes['string'] ?? []), array_keys($sizes['other'] ?? [])];
        $share = 1 / max(1, \count($strings) + \count($others));

        $sizes = [array_fill_keys($strings, $share), array_fill_keys($others, $share)];

        return $costs->hasSets() ? new Profile(...$sizes) : new Profile(...$sizes, readShare: 1.0);
    }

    private static function sharers(string $store): string
    {
        return match ((Drivers::variants()[$store] ?? null)?->scope) {
            Scope::Machine => 'all processes of one user of this machine',
            Scope::FpmWorkers => 'the workers of one FPM master, not by the command line, and is empty after a restart',
            Scope::Server => 'all who reach its server',
            default => 'whom its own documentation names',
        };
    }
}
