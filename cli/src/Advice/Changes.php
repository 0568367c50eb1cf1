<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Compare\Figure;
use Larder\Cli\Compare\Kind;
use Larder\Cli\Report\Setup;
use Larder\Cli\Timing\Interval;
use Larder\Contract\AtomicStore;
use Larder\Drivers;

/** What one change of a setup saves: the way to the store, a setting, a connection that stays open, a local tier. */
final class Changes
{
    /** Reads that a local copy answers, where nothing tells how many do. */
    private const LOCAL_SHARE = 0.9;

    /** A remark that begins so is of figures that were not measured with the others. */
    private const ELSEWHERE = ' (From the tables of ';

    /** A remark that begins so is of figures that were put together from others. */
    private const COMPUTED = ' (Computed';

    private readonly Candidates $candidates;

    /** @param array<string, Costs> $contexts */
    public function __construct(private readonly Costs $costs, private readonly array $contexts, private readonly Profile $profile)
    {
        $this->candidates = new Candidates($costs->setups(), $profile->machines);
    }

    /** @return array<string, list<string>> */
    public function lines(): array
    {
        $changes = $this->ofSettings();
        array_push($changes, ...$this->ofConnections(), ...$this->ofLocalTiers());
        usort($changes, static fn(array $a, array $b): int => $b['saving']->value <=> $a['saving']->value);
        $lines = ['Change first' => [], 'Do not change' => [], 'Makes no difference' => []];
        foreach ($changes as ['setup' => $setup, 'what' => $what, 'saving' => $saving, 'remark' => $remark]) {
            $interval = $saving->interval();
            if ($interval->contains(0.0)) {
                $lines['Makes no difference'][] = \sprintf('%s: %s.%s', $setup, $what, $remark);

                continue;
            }
            $isSaving = $saving->value > 0.0;
            $isComputed = str_starts_with($remark, self::COMPUTED);
            $of = str_starts_with($remark, self::ELSEWHERE) ? null : $this->costs->perRequest($setup, $this->profile);
            $lines[$isSaving ? 'Change first' : 'Do not change'][] = \sprintf(
                '%s: %s %s %s per request (%s)%s.%s',
                $setup,
                $what,
                ($isComputed ? 'would ' : '') . ($isSaving ? 'save' : 'cost') . ($isComputed ? '' : 's'),
                Figure::duration(abs($saving->value)),
                Text::range($isSaving ? $interval : new Interval(-$interval->high, -$interval->low), Figure::duration(...)),
                $of === null || !$isSaving ? '' : \sprintf(', %.0f %% of its time', 100 * $saving->value / $of->value),
                $remark,
            );
        }

        return $lines;
    }

    /** @return list<array{setup: string, what: string, saving: Estimate, remark: string}> of setups that differ in one setting or the connection */
    private function ofSettings(): array
    {
        $changes = [];
        foreach ($this->contexts as $costs) {
            $setups = $costs->setups();
            $reached = [];
            foreach ($setups as $setup) {
                $reached[$setup->store][(string) $setup->connection][] = $setup;
            }
            foreach (array_filter($setups, $this->isUsed(...)) as $setup) {
                $others = array_intersect_key($reached[$setup->store], array_flip($this->waysFrom($setup)));
                foreach (array_merge(...array_values($others)) as $other) {
                    [$from, $to] = [$setup->name(), $other->name()];
                    $difference = $setup->differenceTo($other);
                    $key = $from . "\0" . $to;
                    if ($difference === null || isset($changes[$key])) {
                        continue;
                    }
                    $saving = $costs->saving($from, $to, $this->profile);
                    if ($saving !== null) {
                        $changes[$key] = [
                            'setup' => $from,
                            'what' => $difference === 'connection' ? self::way($setup, $other) : self::setting($difference, $other->settings[$difference] ?? null),
                            'saving' => $saving,
                            'remark' => $this->source($costs) . self::artefacts([...$costs->artefacts($from), ...$costs->artefacts($to)]),
                        ];
                    }
                }
            }
        }

        return array_values($changes);
    }

    /** Whether it can be what a program has: what the profile names, or else default settings. */
    private function isUsed(Setup $setup): bool
    {
        return $this->profile->store !== null ? $setup->name() === $this->profile->store : $setup->isDefault() && Kind::of($setup->store) !== Kind::Process;
    }

    /** @return list<string> connections that a change may lead to: the same; and from what the profile names any, or else from TCP, or from a disk, the nearer one */
    private function waysFrom(Setup $from): array
    {
        $nearer = match (true) {
            $this->profile->store !== null => ['', 'socket', 'tcp', 'tmpfs', 'disk'],
            $from->connection === 'tcp' => ['socket'],
            $from->connection === 'disk' => ['tmpfs'],
            default => [],
        };

        // No other machine reaches these.
        return [(string) $from->connection, ...array_values(array_diff($nearer, $this->profile->machines > 1 ? ['socket', 'tmpfs'] : []))];
    }

    private static function way(Setup $from, Setup $to): string
    {
        $names = ['tcp' => 'TCP', 'socket' => 'a Unix socket', 'disk' => 'a disk', 'tmpfs' => 'tmpfs', 'network' => 'the network'];

        return \sprintf('%s instead of %s', $names[$to->connection] ?? (string) $to->connection, $names[$from->connection] ?? (string) $from->connection);
    }

    private static function setting(string $name, ?string $value): string
    {
        return match (true) {
            $value === null => \sprintf('%s as by default', $name),
            $name === 'php' => 'PHP with ' . $value, // "no opcache"
            default => "$name $value",
        };
    }

    /** @param list<string> $artefacts */
    private static function artefacts(array $artefacts): string
    {
        return $artefacts === [] ? '' : \sprintf(' (%s.)', implode('; ', $artefacts));
    }

    private function source(Costs $costs): string
    {
        return $costs === $this->costs ? '' : \sprintf('%s%s.)', self::ELSEWHERE, $costs->context);
    }

    /** @return list<array{setup: string, what: string, saving: Estimate, remark: string}> what connecting once a request costs */
    private function ofConnections(): array
    {
        $changes = [];
        foreach ($this->contexts as $costs) {
            foreach ($costs->setups() as $name => $setup) {
                foreach ($costs->sizes()['string'] ?? [] as $bytes => $is) {
                    $connect = $costs->at($name, Costs::CONNECT, 'string', $bytes);
                    $get = $costs->at($name, Costs::GET, 'string', $bytes);
                    if ($connect !== null && $get !== null && !isset($changes[$name]) && Kind::of($setup->store) === Kind::Server && \in_array($this->profile->store, [null, $name], true)) {
                        $changes[$name] = ['setup' => $name, 'what' => 'a persistent connection', 'saving' => $connect->minus($get), 'remark' => $this->source($costs)];
                    }
                }
            }
        }

        return array_values($changes);
    }

    /** @return list<array{setup: string, what: string, saving: Estimate, remark: string}> computed from the figures of both stores */
    private function ofLocalTiers(): array
    {
        if ($this->profile->machines === 1) {
            return [];
        }
        $local = Ranking::of($this->each(
            array_values(array_filter($this->candidates->onOneMachine, $this->canBeLocal(...))),
            fn(string $setup): ?Estimate => $this->costs->perRequest($setup, $this->profile),
        ))?->best[0];
        $servers = $this->profile->store !== null ? [$this->profile->store] : $this->candidates->onSeveral;
        $changes = [];
        foreach ($servers as $server) {
            $setup = $this->costs->setups()[$server] ?? null;
            $tier = $local === null || $setup === null || Kind::of($setup->store) !== Kind::Server ? null : $this->withTier($local, $server);
            $alone = $this->costs->perRequest($server, $this->profile);
            if ($tier !== null && $alone !== null) {
                $changes[] = [
                    'setup' => $server,
                    'what' => $local . ' as a local tier',
                    'saving' => $alone->minus($tier),
                    'remark' => \sprintf(self::COMPUTED . ', not measured: if %d %% of the gets that find something find a local copy.)', (int) round(100 * self::LOCAL_SHARE)),
                ];
            }
        }

        return $changes;
    }

    /** As tier: needs it. */
    private function canBeLocal(string $name): bool
    {
        $store = $this->costs->setups()[$name]->store;

        return Kind::of($store) === Kind::Local && is_a((Drivers::variants()[$store] ?? null)->store ?? '', AtomicStore::class, true);
    }

    /** A get without a local copy asks both, and stores a copy; a set goes to both. */
    private function withTier(string $local, string $server): ?Estimate
    {
        $all = $this->profile;
        $cost = fn(string $setup, string $operation): ?Estimate => $this->costs->mean($setup, $operation, $all);
        [$localGet, $localSet, $get, $set] = [$cost($local, Costs::GET), $cost($local, Costs::SET), $cost($server, Costs::GET), $cost($server, Costs::SET)];
        if ($localGet === null || $localSet === null || $get === null || $set === null) {
            return null;
        }
        $share = self::LOCAL_SHARE * $all->hitRate;
        $read = $localGet->plus($get->plus($localSet)->times(1 - $share));
        $write = $set->plus($localSet);

        return $read->times($all->readShare)->plus($write->times(1 - $all->readShare))->times($all->operationsPerRequest);
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
}
