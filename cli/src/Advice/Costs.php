<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Compare\Artefacts;
use Larder\Cli\Measure\Unit;
use Larder\Cli\Report\Row;
use Larder\Cli\Report\Setup;

/** The cost of operations in each setup, by the size of the value. */
final class Costs
{
    public const GET = 'get';
    public const SET = 'set';
    public const CONNECT = 'connect+get+close';

    /** The context of what `larder compare` measures. */
    public const COMPARE = 'compare';

    /** A line about more values than this names none of them. */
    private const NAMED_VALUES = 3;

    /** Nanoseconds. Smaller samples are raised to this. */
    private const LEAST = 0.1;

    /** @var array<string, Setup> by name: those without failures */
    private readonly array $setups;

    /** @var array<string, list<string>> what went wrong, by setup */
    private readonly array $failures;

    /** @var array<string, array<string, array<string, Curve>>> by setup, operation, and "string" or "other" */
    private array $curves = [];

    /**
     * @var array<string, array<string, array<string, list<string>>>> names of values by setup, operation and known
     *         reason for a slower result
     */
    private array $artefacts = [];

    /** @var array<string, non-empty-array<int, true>> sizes measured, by "string" and "other" */
    private readonly array $sizes;

    /** @var array<string, Estimate|null> by setup and operation, for the profile of the last call */
    private array $means = [];
    private ?Profile $meansOf = null;

    /**
     * @param string $context common to all tables: the study, such as "2016", and settings that are not the store's
     * @param non-empty-list<Row> $rows
     */
    private function __construct(public readonly string $context, array $rows)
    {
        $setups = $failures = $points = $sizes = [];
        foreach ($rows as $row) {
            $setup = Setup::of($row->subject);
            $name = $setup->name();
            if ($row->failures > 0) {
                $setups[$name] = $setup;
                $failures[$name][$row->problem] = true;
            }
            if ($row->median > 0.0 && $row->samples !== []) {
                $setups[$name] = $setup;
                $type = preg_match('/array|object|row|DTO/i', (string) $row->subject->value) === 1 ? 'other' : 'string';
                $bytes = max(1, (int) $row->subject->bytes);
                $points[$name][$row->subject->operation][$type][$bytes] = Estimate::ofRounds(array_map(
                    static fn(float $sample): float => max(self::LEAST, $sample),
                    $row->samples,
                ));
                $sizes[$type][$bytes] = true;
                foreach (Artefacts::of($row->subject) as $artefact) {
                    $this->artefacts[$name][$row->subject->operation][$artefact][] = (string) $row->subject->value;
                }
            }
        }
        $this->setups = array_diff_key($setups, $failures);
        $this->failures = array_map(array_keys(...), $failures);
        foreach ($points as $name => $operations) {
            foreach ($operations as $operation => $types) {
                $this->curves[$name][$operation] = array_map(
                    static fn(array $ofType): Curve => new Curve($ofType),
                    $types,
                );
            }
        }
        foreach (array_keys($sizes) as $type) {
            ksort($sizes[$type]);
        }
        $this->sizes = $sizes;
    }

    /**
     * @param list<Row> $rows
     * @return array<string, self> by context: "2016" for the table "2016: write, 20 KB string", together with the
     *         table's settings that are not the store's
     */
    public static function of(array $rows): array
    {
        $byContext = [];
        foreach ($rows as $row) {
            $subject = $row->subject;
            if (
                $subject->unit === Unit::Nanoseconds && $subject->bytes !== null && $subject->value !== null
                && \in_array($subject->operation, [self::GET, self::SET, self::CONNECT], true)
            ) {
                $byContext[explode(
                    ':',
                    $subject->table,
                )[0] . substr(Setup::context($subject), \strlen($subject->table))][] = $row;
            }
        }
        $all = [];
        foreach ($byContext as $context => $ofContext) {
            $all[$context] = new self("$context", $ofContext); // PHP turns the key "2016" into an int
        }

        return $all;
    }

    /** @return array<string, Setup> by name: those without failures */
    public function setups(): array
    {
        return $this->setups;
    }

    /** @return array<string, list<string>> what went wrong, by setup */
    public function failures(): array
    {
        return $this->failures;
    }

    /** @return list<string> what is known to slow down operations of this setup */
    public function artefacts(string $setup): array
    {
        $lines = [];
        foreach ($this->artefacts[$setup] ?? [] as $operation => $ofOperation) {
            foreach ($ofOperation as $artefact => $values) {
                $lines[] = \sprintf(
                    '%s%s: %s',
                    $operation,
                    \count($values) > self::NAMED_VALUES ? '' : ' ' . implode(', ', $values),
                    $artefact,
                );
            }
        }

        return $lines;
    }

    /** @return array<string, non-empty-array<int, true>> sizes measured, by "string" and "other" */
    public function sizes(): array
    {
        return $this->sizes;
    }

    /** True if sets of any setup were measured: most studies measured gets alone. */
    public function hasSets(): bool
    {
        return array_filter($this->curves, static fn(array $operations): bool => isset($operations[self::SET])) !== [];
    }

    /** @return Estimate|null nanoseconds; null when it was not measured */
    public function at(string $setup, string $operation, string $type, int $bytes): ?Estimate
    {
        return ($this->curves[$setup][$operation][$type] ?? null)?->at($bytes);
    }

    /**
     * @return Estimate|null the time that a request saves with the other setup, over values that were measured with
     *         both
     */
    public function saving(string $from, string $to, Profile $profile): ?Estimate
    {
        $saving = null;
        foreach ([
            self::GET => $profile->readShare * $profile->hitRate,
            self::SET => 1 - $profile->readShare,
        ] as $operation => $part) {
            foreach (['string' => $profile->strings, 'other' => $profile->others] as $type => $shares) {
                $before = $this->curves[$from][$operation][$type] ?? null;
                $after = $this->curves[$to][$operation][$type] ?? null;
                if ($before === null || $after === null) {
                    continue;
                }
                [$before, $after] = [$before->sharedWith($after), $after->sharedWith($before)];
                foreach ($shares as $bytes => $share) {
                    $a = $before->at(max(1, $bytes));
                    $b = $after->at(max(1, $bytes));
                    if ($a !== null && $b !== null) {
                        $saving = ($saving ?? Estimate::constant(0.0))->plus($a->minus($b)->times(
                            $part * $share * $profile->operationsPerRequest,
                        ));
                    }
                }
            }
        }

        return $saving;
    }

    /** @return Estimate|null of all cache operations of a request; null if one of them was not measured */
    public function perRequest(string $setup, Profile $profile): ?Estimate
    {
        $get = $this->mean($setup, self::GET, $profile);
        $set = $this->mean($setup, self::SET, $profile);
        // A miss is about as fast as a get of the smallest value.
        $miss = $this->at($setup, self::GET, 'string', 1) ?? $this->at($setup, self::GET, 'other', 1);
        $reads = $get === null || $miss === null
            ? null
            : $get->times($profile->hitRate)->plus($miss->times(1 - $profile->hitRate));
        if (($reads === null && $profile->readShare > 0.0) || ($set === null && $profile->readShare < 1.0)) {
            return null;
        }
        $none = Estimate::constant(0.0);

        return ($reads ?? $none)->times($profile->readShare)->plus(($set ?? $none)->times(
            1 - $profile->readShare,
        ))->times($profile->operationsPerRequest);
    }

    /** @return Estimate|null of one operation, over the sizes of the profile */
    public function mean(string $setup, string $operation, Profile $profile): ?Estimate
    {
        if ($this->meansOf !== $profile) {
            [$this->meansOf, $this->means] = [$profile, []];
        }
        $key = "$operation $setup";
        if (!\array_key_exists($key, $this->means)) {
            $this->means[$key] = $this->computedMean($setup, $operation, $profile);
        }

        return $this->means[$key];
    }

    private function computedMean(string $setup, string $operation, Profile $profile): ?Estimate
    {
        $mean = Estimate::constant(0.0);
        foreach (['string' => $profile->strings, 'other' => $profile->others] as $type => $shares) {
            // If only one kind of value was measured, its curve is used for the other kind too.
            $measured = isset($this->curves[$setup][$operation][$type])
                ? $type
                : ($type === 'string' ? 'other' : 'string');
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
}
