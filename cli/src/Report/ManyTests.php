<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** Corrections for many tests: among many differences that are only noise, some look significant. */
final class ManyTests
{
    private const LEVEL = 0.05;

    /**
     * Holm's limit: in at least 95 % of runs, no difference that is only noise counts.
     *
     * @param list<float> $chances for each difference, its probability if there were no difference
     * @return float a difference counts at or below it; negative if none counts
     * @see https://www.jstor.org/stable/4615733 Holm, "A Simple Sequentially Rejective Multiple Test Procedure"
     */
    public static function holm(array $chances): float
    {
        sort($chances);
        $limit = -1.0;
        foreach ($chances as $i => $chance) {
            if ($chance > self::bonferroni(\count($chances) - $i)) {
                // Equal chances count or fail together; the first of them had the strictest limit.
                break;
            }
            $limit = $chance;
        }

        return $limit;
    }

    /** Bonferroni's limit, which each of this number of tests may use. It is the strictest that holm() uses. */
    public static function bonferroni(int $many): float
    {
        return self::LEVEL / max(1, $many);
    }

    /**
     * Limit of Benjamini and Hochberg: of the differences that count, at most 5 % are expected to be noise.
     *
     * @param list<float> $chances
     * @return float as holm()
     * @see https://doi.org/10.1111/j.2517-6161.1995.tb02031.x
     */
    public static function benjaminiHochberg(array $chances): float
    {
        sort($chances);
        $limit = -1.0;
        foreach ($chances as $i => $chance) {
            if ($chance <= self::LEVEL * ($i + 1) / \count($chances)) {
                $limit = $chance;
            }
        }

        return $limit;
    }
}
