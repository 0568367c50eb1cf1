<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** Corrections for many tests: among many differences that are only noise, some look significant. */
final class ManyTests
{
    private const LEVEL = 0.05;

    /**
     * Limit with which, in at least 95 % of runs, no difference counts that is only noise: Holm's correction.
     *
     * @param list<float> $chances for each difference, its probability if there were no difference
     * @return float a difference counts at or below it; negative if none counts
     * @see https://www.jstor.org/stable/4615733 Holm, "A Simple Sequentially Rejective Multiple Test Procedure"
     */
    public static function noFalseOne(array $chances): float
    {
        sort($chances);
        $limit = -1.0;
        foreach ($chances as $i => $chance) {
            if ($chance > self::ofSo(\count($chances) - $i)) {
                // Equal chances count or fail together; the first of them had the strictest limit.
                break;
            }
            $limit = $chance;
        }

        return $limit;
    }

    /**
     * The strictest limit of noFalseOne() for this number of tests, which is sufficient for each of them: Bonferroni.
     */
    public static function ofSo(int $many): float
    {
        return self::LEVEL / max(1, $many);
    }

    /**
     * Limit with which at most 5 % of the differences that count are expected to be noise: Benjamini and Hochberg.
     *
     * @param list<float> $chances
     * @return float as noFalseOne()
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
