<?php

declare(strict_types=1);

namespace Larder\Cli\Advice;

use Larder\Cli\Report\Report;
use Larder\Cli\Report\Setup;

/** Assumptions of an advice about the program, and where the program's traffic differs from what was measured. */
final class Assumptions
{
    /**
     * A size is far from all measured ones if it is this many times larger than the largest, or smaller than the
     * smallest.
     */
    private const FAR = 4;

    /** Share of far values from which on the advice warns. */
    private const MANY = 0.1;

    public function __construct(
        private readonly Costs $costs,
        private readonly Candidates $candidates,
        private readonly Profile $profile,
    ) {}

    /**
     * @param string $request its calls, as Advice::request() says them
     * @param bool $isOwn whether the profile is of a program, not of equal parts
     * @return list<string>
     */
    public function lines(string $request, bool $isOwn): array
    {
        $profile = $this->profile;
        $lines = [\sprintf(
            '%s: a request makes %s; %s %% of the gets find something.%s',
            $isOwn
                ? 'From the profile'
                    . ($profile->samples === null ? '' : \sprintf(' (%s samples)', number_format($profile->samples)))
                : 'Without a profile, each measured size is as frequent as the others',
            $request,
            Text::number(round(100 * $profile->hitRate, 1)),
            $this->costs->context === Costs::COMPARE ? '' : \sprintf(' Figures of %s alone.', $this->costs->context),
        )];
        $sizes = $this->costs->sizes();
        foreach (['string' => $profile->strings, 'other' => $profile->others] as $type => $shares) {
            $shares = array_filter($shares, static fn(float $share): bool => $share > 0.0);
            if ($shares === []) {
                continue;
            }
            $what = $type === 'string' ? 'strings' : 'arrays and objects';
            $measured = $sizes[$type] ?? [];
            if ($measured === []) {
                $lines[] = \sprintf(
                    'No %s were measured: those of the profile count as what was measured of the same size.',
                    $what,
                );

                continue;
            }
            $outside = self::outside($shares, $measured);
            if ($outside > 0.005) {
                $lines[] = \sprintf(
                    '%.0f %% of the operations have %s of sizes that were not measured: '
                        . 'they count as the nearest measured size.',
                    100 * $outside,
                    $what,
                );
            }
        }
        if (($this->candidates->onSeveral !== []) && ($profile->machines ?? 2) > 1 && !\in_array(
            'network',
            array_map(static fn(Setup $setup): ?string => $setup->connection, $this->costs->setups()),
            true,
        )) {
            $lines[] = 'Servers were measured by TCP on this machine; a network adds its delay to every call.';
        }
        if ($this->candidates->tiers !== [] && ($profile->machines ?? 2) > 1) {
            $lines[] = 'With copies on each machine, every get found one. '
                . 'A get that does not takes longer than one to the server alone.';
        }
        $lines[] = 'Only the time in the store counts, of one process at a time.';

        return $lines;
    }

    /** @return list<string> where much of the traffic is unlike what was measured */
    public function careful(Report $report): array
    {
        $lines = [];
        $hasAll = !isset(((array) ($report->environment['options'] ?? []))['values']);
        foreach (['string' => $this->profile->strings, 'other' => $this->profile->others] as $type => $shares) {
            $measured = $this->costs->sizes()[$type] ?? [];
            $share = $measured === [] ? 0.0 : self::outside($shares, $measured, self::FAR);
            if ($measured !== [] && $share > self::MANY) {
                $lines[] = \sprintf(
                    '%.0f %% of the operations have %s that are much smaller or larger than any that was measured (%s '
                        . 'to %s). Their figures are wrong by more than the intervals tell.%s',
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
     * @return float share of the values that are outside of the measured sizes by more than this factor
     */
    private static function outside(array $shares, array $measured, int $factor = 1): float
    {
        $isOutside = static fn(int $bytes): bool => $bytes * $factor < array_key_first($measured)
            || $bytes > array_key_last($measured) * $factor;

        return array_sum(array_filter($shares, $isOutside, \ARRAY_FILTER_USE_KEY));
    }
}
