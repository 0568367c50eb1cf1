<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** At which chance a difference counts where many are looked at: of many that are none, some look like one. */
final class ManyTests
{
    private const LEVEL = 0.05;

    /**
     * So that in at least 95 % of runs not one difference counts that is none: Holm's correction.
     *
     * @param list<float> $chances how likely each difference would be if there were none
     * @return float at or below which a difference counts; negative when none does
     * @see https://www.jstor.org/stable/4615733 Holm, "A Simple Sequentially Rejective Multiple Test Procedure"
     */
    public static function noFalseOne(array $chances): float
    {
        sort($chances);
        $limit = -1.0;
        foreach ($chances as $i => $chance) {
            if ($chance > self::ofSo(\count($chances) - $i)) {
                // Equal ones stand and fall together: the first of them had the strictest limit.
                break;
            }
            $limit = $chance;
        }

        return $limit;
    }

    /** What noFalseOne() asks of the first of so many: enough for each of them, after Bonferroni. */
    public static function ofSo(int $many): float
    {
        return self::LEVEL / max(1, $many);
    }

    /**
     * So that of the differences that count at most 5 % are expected to be none: Benjamini and Hochberg's correction.
     *
     * @param list<float> $chances
     * @return float as of noFalseOne()
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
