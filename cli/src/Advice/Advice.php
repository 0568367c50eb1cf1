<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Report\Figure;
use Larder\Cli\Report\Kind;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\Setup;

/**
 * The advice that a report gives a program: which store to use, what to change first, how much that saves, and how sure
 * it is. It follows from the figures alone; no store has a rule of its own. The rules: docs/measure.md.
 */
final class Advice
{
    public const ONE = 'One machine';
    public const SEVERAL = 'Several machines';
    public const CHANGE = 'Change first';

    /** Well-known stores, shown next to the best one if they were measured. */
    private const USUAL = [
        self::ONE => ['larder', 'apcu', 'file disk'],
        self::SEVERAL => ['memcached tcp', 'redis tcp'],
    ];

    /** Least number of rows in each group of the chart, if that many were measured. */
    private const SHOWN = 3;

    /** Milliseconds: a usual query, and a usual page. */
    private const QUERY = 20;

    private readonly Candidates $candidates;
    private readonly Memory $memory;
    private readonly Changes $changes;

    /** @param array<string, Costs> $contexts */
    private function __construct(
        private readonly Report $report,
        private readonly Costs $costs,
        array $contexts,
        private readonly Profile $profile,
        public readonly bool $isOwn,
    ) {
        $this->candidates = new Candidates($costs->setups(), $profile->machines);
        $this->memory = new Memory($report);
        $this->changes = new Changes($costs, $contexts, $profile);
    }

    /**
     * @param Profile|null $profile null: the measured values in equal parts
     * @return self|null null if the report has no gets and sets
     */
    public static function of(Report $report, ?Profile $profile = null): ?self
    {
        $contexts = array_filter(Costs::of($report->rows), static fn(Costs $costs): bool => $costs->sizes() !== []);
        $first = $contexts[Costs::COMPARE] ?? reset($contexts);

        return $first === false
            ? null
            : new self($report, $first, $contexts, $profile ?? self::equalParts($first), $profile !== null);
    }

    /** The calls of a request: "9 gets, 1 set". */
    public function request(): string
    {
        $gets = $this->profile->operationsPerRequest * $this->profile->readShare;
        $parts = [];
        foreach (['get' => $gets, 'set' => $this->profile->operationsPerRequest - $gets] as $operation => $times) {
            $times = round($times, 2);
            if ($times > 0.0) {
                $parts[] = Text::number($times) . " $operation" . ($times === 1.0 ? '' : 's');
            }
        }

        return implode(', ', $parts);
    }

    /** @return int rounds, if they are too few to say how sure a difference is; else 0 */
    public function fewRounds(): int
    {
        $rankings = array_filter([$this->ranking($this->candidates->onOneMachine), $this->ranking($this->onSeveral())]);

        return max([0, ...array_map(static fn(Ranking $ranking): int => $ranking->rounds, $rankings)]);
    }

    /**
     * @return array<string, non-empty-list<Bar>> by title of the group: the best, the well-known ones, and the next
     *         best
     */
    public function chart(): array
    {
        $chart = [];
        foreach ($this->groups() as $title => $setups) {
            $ranking = $this->ranking($setups);
            if ($ranking === null) {
                continue;
            }
            $order = [...$ranking->best, ...array_keys($ranking->others)];
            $tiers = array_intersect($order, $this->candidates->tiers);
            $known = array_intersect($order, self::USUAL[$title]);
            $known = array_unique([$order[0], ...\array_slice($tiers, 0, 1), ...$known]);
            $shown = \array_slice(array_unique([...$known, ...$order]), 0, max(self::SHOWN, \count($known)));
            foreach (array_intersect($order, $shown) as $name) {
                $chart[$title][] = new Bar(
                    $name,
                    $this->title($name),
                    $this->perRequest($name) ?? throw new \LogicException($name),
                    \in_array($name, $ranking->best, true),
                    $this->costs->at($name, Costs::GET, ...$this->example())?->value,
                );
            }
        }

        return $chart;
    }

    /**
     * @return array{string, int} the value that the chart's second figure is for: the type and bytes of the largest
     *         array, or else of the largest string
     */
    public function example(): array
    {
        $sizes = $this->costs->sizes();
        $type = isset($sizes['other']) ? 'other' : 'string';

        return [$type, (int) array_key_last($sizes[$type] ?? [])];
    }

    /**
     * One get of the smallest string, and of example().
     *
     * @return list<array{title: string, small: float, large: float}> the quickest setup of each store, the best first
     */
    public function gets(): array
    {
        $gets = [];
        $smallest = $this->smallest();
        foreach (array_diff($this->candidates->all, $this->candidates->tiers) as $name) {
            $small = $this->costs->at($name, Costs::GET, 'string', $smallest)?->value;
            $large = $this->costs->at($name, Costs::GET, ...$this->example())?->value;
            $store = $this->costs->setups()[$name]->store;
            if ($small !== null && $large !== null && $large < ($gets[$store]['large'] ?? \INF)) {
                $gets[$store] = ['title' => $this->title($name), 'small' => $small, 'large' => $large];
            }
        }
        usort($gets, static fn(array $a, array $b): int => $a['large'] <=> $b['large']);

        return $gets;
    }

    /** @return int bytes of the smallest string that was measured */
    public function smallest(): int
    {
        return (int) array_key_first($this->costs->sizes()['string'] ?? []);
    }

    /** @return array<string, Answer> by title */
    public function answers(): array
    {
        return array_filter([
            ...array_map($this->store(...), $this->groups()),
            self::CHANGE => $this->changeFirst(),
        ], static fn(?Answer $answer): bool => $answer !== null);
    }

    /** The share of a usual page's time that the cache takes, with the slowest store of the chart. */
    public function shareOfPage(): string
    {
        $bar = $this->slowest();

        return $bar === null ? '' : \sprintf(
            '%s: %s %% of a page of %d ms.',
            $bar->title,
            Text::twoDigits(100 * $bar->cost->value / (1e6 * self::QUERY)),
            self::QUERY,
        );
    }

    /**
     * The last well-known bar of the chart's last group, or else its last bar. That group is the servers, if any were
     * measured.
     */
    private function slowest(): ?Bar
    {
        $chart = $this->chart();
        $title = array_key_last($chart);
        $bars = $chart[$title] ?? [];
        $known = array_filter(
            $bars,
            static fn(Bar $bar): bool => \in_array($bar->setup, self::USUAL[$title] ?? [], true),
        );

        return \array_slice($known === [] ? $bars : $known, -1)[0] ?? null;
    }

    /** @return array<string, list<string>> sentences by title: details that the answers leave out */
    public function details(): array
    {
        $assumptions = new Assumptions($this->costs, $this->candidates, $this->profile);

        return array_filter([
            'Careful' => $assumptions->careful($this->report),
            'Time of one request' => $this->times(),
            'By size' => $this->bySize(),
            'Memory' => $this->memory->lines($this->profile),
            ...$this->changes->lines(),
            'Not considered' => $this->notConsidered(),
            'Assumed' => $assumptions->lines($this->request(), $this->isOwn),
        ], static fn(array $lines): bool => $lines !== []);
    }

    /** @return array<string, list<string>> setups by the title of the answer */
    private function groups(): array
    {
        $machines = $this->profile->machines;

        return [
            ...($machines === null || $machines === 1 ? [self::ONE => $this->candidates->onOneMachine] : []),
            ...($machines === null || $machines > 1 ? [self::SEVERAL => $this->onSeveral()] : []),
        ];
    }

    /** @return list<string> */
    private function onSeveral(): array
    {
        return [...$this->candidates->onSeveral, ...$this->candidates->tiers];
    }

    /** @param list<string> $setups */
    private function ranking(array $setups): ?Ranking
    {
        return Ranking::of($this->each($setups, $this->perRequest(...)));
    }

    /** @param list<string> $setups */
    private function store(array $setups): ?Answer
    {
        $servers = array_values(array_diff($setups, $this->candidates->tiers));
        $ranking = $this->ranking($servers);
        if ($ranking === null) {
            return match (true) {
                !$this->isOwn => null, // nobody asked for it
                $this->profile->readShare < 1.0 && !$this->costs->hasSets() => new Answer(
                    'Not measured: this result has no sets, but the profile does.',
                ),
                default => new Answer(
                    'Not measured: no such store has all the figures that the profile needs.',
                ),
            };
        }
        $tiers = array_intersect($setups, $this->candidates->tiers);
        $all = $this->ranking($setups);
        if ($all !== null && $tiers !== [] && array_diff($all->best, $tiers) === []) {
            return $this->tier($all);
        }
        $isSure = $ranking->rounds === 0;
        $names = implode(' or ', array_map($this->title(...), $ranking->best));
        $text = match (true) {
            \count($ranking->best) === 1 => "Use $names.",
            $isSure => "Use $names (no difference).",
            default => \sprintf('%s: %s no order.', strtr($names, [' or ' => ', ']), self::show($ranking)),
        };
        $text .= $this->today($setups, $ranking) ?? $this->lead($ranking);
        if ($tiers !== []) {
            $text .= $isSure
                ? $this->gain($ranking->best[0])
                : \sprintf(' With Larder in front: %s no gain.', self::show($ranking));
        }

        return new Answer($text . $this->load($ranking->cost), $this->costs->setups()[$ranking->best[0]]->dsn());
    }

    /** The time that copies in front of a server save. */
    private function gain(string $server): string
    {
        foreach ($this->candidates->tiers as $tier) {
            [$of, $with] = [$this->costs->setups()[$server], $this->costs->setups()[$tier]];
            [$alone, $cost] = [$this->perRequest($server), $this->perRequest($tier)];
            if (
                $of->store === $with->store && $of->connection === $with->connection && $alone !== null
                && $cost !== null
            ) {
                $share = $alone->minus($cost)->by($alone);

                return match (true) {
                    $share->interval()->low > 0.0
                        => \sprintf(' Larder in front of it saves %d %%: %s', round(100 * $share->value), $with->dsn()),
                    $share->interval()->high < 0.0 => \sprintf(
                        ' With Larder in front of it, a request takes longer (%s).',
                        Figure::duration($cost->value),
                    ),
                    default => ' Larder in front of it makes no difference.',
                };
            }
        }

        return '';
    }

    private static function show(Ranking $ranking): string
    {
        return $ranking->rounds === 1 ? 'one round shows' : "$ranking->rounds rounds show";
    }

    private static function all(Ranking $ranking): string
    {
        return $ranking->rounds === 1 ? 'the only round' : "all $ranking->rounds rounds";
    }

    /** The lead of the best one: over the next one in the chart, or over all others in each round. */
    private function lead(Ranking $ranking): string
    {
        $others = array_map(static fn(array $other): float => $other['ratio'], $ranking->others);
        if ($others === [] || ($ranking->rounds > 0 && \count($ranking->best) > 1)) {
            return '';
        }
        if ($ranking->rounds > 0) {
            return \sprintf(' It was ahead in %s, %s times or more.', self::all($ranking), Text::atLeast(min($others)));
        }
        $usual = array_flip(array_merge(...array_values(self::USUAL)));
        $next = array_key_first(array_intersect_key($others, $usual) + $others);

        return \sprintf(' %s takes %s times as long.', $this->title($next), Text::twoDigits($others[$next]));
    }

    /** @param Ranking $ranking whose best are all tiers */
    private function tier(Ranking $ranking): Answer
    {
        $best = $ranking->best;
        usort($best, fn(string $a, string $b): int => $this->isOfToday($b) <=> $this->isOfToday($a));
        $setup = $this->costs->setups()[$best[0]];
        $server = "$setup->store $setup->connection";
        [$cost, $alone] = [$this->perRequest($best[0])->value ?? 0.0, $this->perRequest($server)->value ?? 0.0];
        $text = $ranking->rounds === 0
            ? \sprintf(
                'With %s, a request then takes %s instead of %s (%d %% less).',
                $this->title($server),
                Figure::duration($cost),
                Figure::duration($alone),
                round(100 - 100 * $cost / max(1.0, $alone)),
            )
            : \sprintf(
                'That was ahead in %s, %s times or more.',
                self::all($ranking),
                Text::atLeast(min([\INF, ...array_column($ranking->others, 'ratio')])),
            );

        return new Answer("Put Larder in front of your server. $text" . $this->load($ranking->cost), $setup->dsn());
    }

    private function isOfToday(string $tier): bool
    {
        return str_starts_with($tier, $this->profile->store . ',');
    }

    /**
     * @param list<string> $setups
     * @return string|null compares the store that the profile names with the best one; null if there is nothing to say
     */
    private function today(array $setups, Ranking $ranking): ?string
    {
        $today = $this->profile->store;
        $cost = $today === null || !isset($this->costs->setups()[$today]) ? null : $this->perRequest($today);
        if ($cost === null || !\in_array($today, [...$setups, ...$this->legacy()], true)) {
            return null;
        }

        return \in_array($today, $ranking->best, true) ? ' You use it: keep it.' : \sprintf(
            ' A request takes %s instead of %s with %s%s.',
            Figure::duration($ranking->cost->value),
            Figure::duration($cost->value),
            $this->title($today),
            \in_array($today, $this->legacy(), true) ? ', which is not recommended any more' : '',
        );
    }

    /** The share of a processor that the cache takes. */
    private function load(Estimate $cost): string
    {
        $requests = $this->profile->requestsPerSecond;

        return $requests === null ? '' : \sprintf(
            ' At %s requests a second, that is %s %% of a core.',
            Text::number($requests),
            Text::twoDigits($requests * $cost->value / 1e7),
        );
    }

    private function changeFirst(): ?Answer
    {
        $profile = $this->profile;
        $change = $this->changes->best();
        $isKnown = $profile->store !== null && isset($this->costs->setups()[$profile->store]);
        $today = $isKnown ? $this->perRequest((string) $profile->store) : null;
        $cache = $today ?? $this->ranking($this->candidates->all)?->cost;
        if ($cache === null) {
            return null;
        }
        $slowest = $this->slowest();
        if (!$this->isOwn && $slowest !== null) {
            $dsn = $this->costs->setups()[$slowest->setup]->dsn();

            return new Answer(\sprintf(
                'Your misses. One with a %d ms query costs what %s requests spend in %s. To record them:',
                self::QUERY,
                Text::twoDigits(1e6 * self::QUERY / $slowest->cost->value),
                $slowest->title,
            ), $dsn . (str_contains($dsn, '?') ? '&' : '?') . 'sample=1000');
        }
        $missing = $profile->operationsPerRequest * $profile->readShare * (1 - $profile->hitRate);
        $misses = 1e6 * ($profile->computeMs ?? 0.0) * $missing;
        $saving = $change['saving']->value ?? 0.0;
        if ($misses / 2 > $saving) {
            return new Answer(\sprintf(
                'Your misses: they take %s a request, the cache calls %s. At %s %% hits instead of %s %%, '
                    . 'a request takes %s less.',
                Figure::duration($misses),
                Figure::duration($cache->value),
                Text::number(round(50 + 50 * $profile->hitRate, 2)),
                Text::number(round(100 * $profile->hitRate, 2)),
                Figure::duration($misses / 2),
            ));
        }

        return new Answer($change === null
            ? 'Nothing: no change that was measured saves time.'
            : \sprintf(
                '%s: %s. It saves %s a request.',
                $this->title($change['setup']),
                $change['what'],
                Figure::duration($saving),
            ));
    }

    /** @return list<string> all setups that were compared, the fastest first */
    private function times(): array
    {
        $lines = [];
        foreach ($this->groups() as $setups) {
            $ranking = $this->ranking($setups);
            foreach ($ranking === null ? [] : [...$ranking->best, ...array_keys($ranking->others)] as $name) {
                $cost = $this->perRequest($name);
                $other = $ranking->others[$name] ?? null;
                $lines[$name] ??= \sprintf(
                    '%s: %s%s%s',
                    $name,
                    Figure::duration($cost->value ?? 0.0),
                    $cost?->hasInterval() === true
                        ? ' (' . Text::range($cost->interval(), Figure::duration(...)) . ')'
                        : '',
                    $other === null
                        ? ''
                        : \sprintf(
                            ', %s times as long%s',
                            Figure::ratio($other['ratio']),
                            $other['interval'] === null
                                ? ' or more'
                                : ' (' . Text::range($other['interval'], Figure::ratio(...)) . ')',
                        ),
                );
            }
        }

        return array_values($lines);
    }

    /** @return list<string> neighbouring sizes with the same answer in one line */
    private function bySize(): array
    {
        $lines = [];
        foreach ($this->costs->sizes() as $type => $sizes) {
            $groups = [];
            foreach (array_keys($sizes) as $bytes) {
                $ranking = Ranking::of($this->each(
                    $this->candidates->all,
                    fn(string $setup): ?Estimate => $this->mixed($setup, $type, $bytes, $this->profile->readShare),
                ));
                $last = array_key_last($groups);
                if ($ranking !== null && $last !== null && $groups[$last]['winners'] === $this->winners($ranking)) {
                    $groups[$last]['to'] = $bytes;
                } elseif ($ranking !== null) {
                    $groups[] = ['winners' => $this->winners($ranking), 'from' => $bytes, 'to' => $bytes];
                }
            }
            foreach ($groups as ['winners' => $winners, 'from' => $from, 'to' => $to]) {
                $lines[] = \sprintf(
                    '%s of %s: %s.',
                    $type === 'string' ? 'Strings' : 'Arrays and objects',
                    $from === $to ? Text::bytes($from) : Text::bytes($from) . ' to ' . Text::bytes($to),
                    $winners,
                );
            }
        }

        return $lines;
    }

    /** @return list<string> */
    private function notConsidered(): array
    {
        $lines = [];
        foreach ($this->costs->failures() as $name => $problems) {
            $lines[] = \sprintf('%s, which failed: %s.', $name, implode('; ', $problems));
        }
        $private = array_filter(
            $this->costs->setups(),
            static fn(Setup $setup): bool => Kind::of($setup->store) === Kind::Process,
        );
        if ($private !== []) {
            $lines[] = \sprintf('%s, which other processes cannot read.', implode(', ', array_keys($private)));
        }
        $legacy = $this->legacy();
        if ($legacy !== []) {
            $lines[] = \sprintf('%s: legacy, not recommended.', implode(', ', $legacy));
        }
        $incomplete = array_filter(
            $this->candidates->all,
            fn(string $setup): bool => $this->perRequest($setup) === null,
        );
        if ($incomplete !== []) {
            $lines[] = \sprintf('%s, of which not all was measured that this needs.', implode(', ', $incomplete));
        }
        if ($this->profile->store !== null && !isset($this->costs->setups()[$this->profile->store])) {
            $lines[] = \sprintf(
                '%s, the store of the profile, which was not measured. Known: %s.',
                $this->profile->store,
                implode(', ', array_keys($this->costs->setups())),
            );
        }

        return $lines;
    }

    /** The cost of a request: its operations, and the computations after misses that a too small memory causes. */
    private function perRequest(string $setup): ?Estimate
    {
        $profile = $this->profile;
        $cost = $this->costs->perRequest($setup, $profile);
        if (
            $cost === null || $profile->computeMs === null || $profile->dataMb === null || $profile->memoryMb === null
            || $profile->dataMb <= $profile->memoryMb
        ) {
            return $cost;
        }
        $rates = $this->memory->hitRates($profile->dataMb / $profile->memoryMb);
        $rate = $rates === [] ? Estimate::constant(100.0) : ($rates[$this->costs->setups()[$setup]->store] ?? null);
        if ($rate === null) {
            return null; // its hit rate was not measured, so it cannot be compared with stores that evict
        }
        $missRate = Estimate::constant(1.0)->minus($rate->times(1 / 100));

        return $cost->plus($missRate->times(
            1e6 * $profile->computeMs * $profile->operationsPerRequest * $profile->readShare * $profile->hitRate,
        ));
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

    /** Most studies measured no sets. Their profile has gets alone, as no advice would be possible otherwise. */
    private static function equalParts(Costs $costs): Profile
    {
        $sizes = $costs->sizes();
        [$strings, $others] = [array_keys($sizes['string'] ?? []), array_keys($sizes['other'] ?? [])];
        $share = 1 / max(1, \count($strings) + \count($others));

        $sizes = [array_fill_keys($strings, $share), array_fill_keys($others, $share)];

        return $costs->hasSets() ? new Profile(...$sizes) : new Profile(...$sizes, readShare: 1.0);
    }

    private function title(string $setup): string
    {
        return $this->costs->setups()[$setup]->title();
    }

    /** @return list<string> setups */
    private function legacy(): array
    {
        return array_keys(array_filter($this->costs->setups(), static fn(Setup $setup): bool => $setup->isLegacy()));
    }

    /** "larder", or "apcu or larder (no difference)". */
    private function winners(Ranking $ranking): string
    {
        $names = $ranking->best;
        sort($names);

        return implode(' or ', $names) . (\count($names) > 1 ? ' (no difference)' : '');
    }
}
