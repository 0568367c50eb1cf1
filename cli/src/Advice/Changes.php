<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Report\Figure;
use Larder\Cli\Report\Kind;
use Larder\Cli\Report\Setup;
use Larder\Cli\Timing\Interval;

/**
 * The time that one change of a setup saves. A change is another connection to the store, another setting, a connection
 * that stays open, or local copies on each machine.
 *
 * @phpstan-type Change array{setup: string, what: string, saving: Estimate, remark: string}
 */
final class Changes
{
    /** @var list<Change>|null the largest saving first */
    private ?array $changes = null;

    /** @param array<string, Costs> $contexts */
    public function __construct(
        private readonly Costs $costs,
        private readonly array $contexts,
        private readonly Profile $profile,
    ) {}

    /** @return array<string, list<string>> a line for each change, with all the setups that it was measured with */
    public function lines(): array
    {
        $lines = ['Saves time' => [], 'Takes longer' => [], 'Makes no difference' => []];
        foreach ($this->all() as ['setup' => $setup, 'what' => $what, 'saving' => $saving, 'remark' => $remark]) {
            $interval = $saving->interval();
            if ($interval->contains(0.0)) {
                $lines['Makes no difference'][$what . $remark][] = $setup;

                continue;
            }
            $isSaving = $saving->value > 0.0;
            $lines[$isSaving ? 'Saves time' : 'Takes longer'][$what . $remark][] = \sprintf(
                '%s %s (%s)',
                $setup,
                Figure::duration(abs($saving->value)),
                Text::range(
                    $isSaving ? $interval : new Interval(-$interval->high, -$interval->low),
                    Figure::duration(...),
                ),
            );
        }

        return array_map(
            static fn(array $byChange): array => array_map(
                static fn(string $change, array $setups): string
                    => ucfirst($change) . ': ' . implode(', ', $setups) . '.',
                array_keys($byChange),
                $byChange,
            ),
            $lines,
        );
    }

    /** @return Change|null the change that saves most; null if none saves anything */
    public function best(): ?array
    {
        $first = $this->all()[0] ?? null;

        return $first !== null && $first['saving']->interval()->low > 0.0 ? $first : null;
    }

    /** @return list<Change> the largest saving first */
    private function all(): array
    {
        if ($this->changes === null) {
            $this->changes = array_values(array_filter(
                [...$this->ofSettings(), ...$this->ofConnections()],
                static fn(array $change): bool => $change['saving']->hasInterval(),
            ));
            usort($this->changes, static fn(array $a, array $b): int => $b['saving']->value <=> $a['saving']->value);
        }

        return $this->changes;
    }

    /** @return list<Change> of setups that differ in one setting or the connection */
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
                    if (
                        $difference === null
                        || isset($changes[$key])
                        || ($difference === 'tier' && $this->profile->machines === 1)
                    ) {
                        continue;
                    }
                    $saving = $costs->saving($from, $to, $this->profile);
                    if ($saving !== null) {
                        $changes[$key] = [
                            'setup' => $from,
                            'what' => $difference === 'connection'
                                ? self::way($setup, $other)
                                : self::setting($difference, $other->settings[$difference] ?? null),
                            'saving' => $saving,
                            'remark' => $this->source($costs)
                                . self::artefacts([...$costs->artefacts($from), ...$costs->artefacts($to)]),
                        ];
                    }
                }
            }
        }

        return array_values($changes);
    }

    /**
     * True if a program may use this setup: the one that the profile names, or else one with default settings whose
     * store is neither legacy nor of one process alone.
     */
    private function isUsed(Setup $setup): bool
    {
        return $this->profile->store !== null
            ? $setup->name() === $this->profile->store
            : $setup->isDefault() && Kind::of($setup->store) !== Kind::Process && !$setup->isLegacy();
    }

    /**
     * @return list<string> connections that a change may lead to: the current one; from the setup that the profile
     *         names, any; otherwise a Unix socket instead of TCP, or tmpfs instead of a disk
     */
    private function waysFrom(Setup $from): array
    {
        $nearer = match (true) {
            $this->profile->store !== null => ['', 'socket', 'tcp', 'tmpfs', 'disk'],
            $from->connection === 'tcp' => ['socket'],
            $from->connection === 'disk' => ['tmpfs'],
            default => [],
        };

        // Other machines cannot reach these.
        return [
            (string) $from->connection,
            ...array_values(array_diff($nearer, $this->profile->machines > 1 ? ['socket', 'tmpfs'] : [])),
        ];
    }

    private static function way(Setup $from, Setup $to): string
    {
        $names = [
            'tcp' => 'TCP', 'socket' => 'a Unix socket', 'disk' => 'a disk', 'tmpfs' => 'tmpfs',
            'network' => 'the network',
        ];

        return \sprintf(
            '%s instead of %s',
            $names[$to->connection] ?? (string) $to->connection,
            $names[$from->connection] ?? (string) $from->connection,
        );
    }

    private static function setting(string $name, ?string $value): string
    {
        return match (true) {
            $name === 'tier' => $value === null ? 'no copies on each machine' : "copies in $value on each machine",
            $value === null => \sprintf('%s as by default', $name),
            $name === 'php' => 'PHP with ' . $value, // "no opcache"
            default => "$name $value",
        };
    }

    /** @param list<string> $artefacts */
    private static function artefacts(array $artefacts): string
    {
        return $artefacts === [] ? '' : \sprintf(' (%s)', implode('; ', $artefacts));
    }

    private function source(Costs $costs): string
    {
        return $costs === $this->costs ? '' : \sprintf(' (from the tables of %s)', $costs->context);
    }

    /** @return list<Change> changes to a connection that stays open */
    private function ofConnections(): array
    {
        $changes = [];
        foreach ($this->contexts as $costs) {
            foreach ($costs->setups() as $name => $setup) {
                foreach ($costs->sizes()['string'] ?? [] as $bytes => $is) {
                    $connect = $costs->at($name, Costs::CONNECT, 'string', $bytes);
                    $get = $costs->at($name, Costs::GET, 'string', $bytes);
                    if (
                        $connect !== null && $get !== null && !isset($changes[$name])
                        && Kind::of($setup->store) === Kind::Server
                        && \in_array($this->profile->store, [null, $name], true)
                    ) {
                        $changes[$name] = [
                            'setup' => $name,
                            'what' => 'a persistent connection',
                            'saving' => $connect->minus($get),
                            'remark' => $this->source($costs),
                        ];
                    }
                }
            }
        }

        return array_values($changes);
    }
}
