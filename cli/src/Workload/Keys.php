<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Random\Engine\Xoshiro256StarStar;
use Random\Randomizer;

/** The order in which keys are used, computed before anything is measured, and the same in every run. */
enum Keys: string
{
    /** All equally often. */
    case Uniform = 'uniform';

    /** A few often, most rarely: the k-th most popular key in proportion to 1 / k^0.99, as in YCSB. */
    case Zipf = 'zipf';

    private const EXPONENT = 0.99;
    private const SEED = 20_130_811;

    /**
     * @param positive-int $keys number of keys
     * @param int $draw selects a sequence
     * @return list<int> numbers of keys, from 0
     */
    public function sequence(int $keys, int $length, int $draw = 0): array
    {
        $random = new Randomizer(new Xoshiro256StarStar(self::SEED + $draw));
        $sequence = [];
        if ($this === self::Uniform) {
            for ($i = 0; $i < $length; ++$i) {
                $sequence[] = $random->getInt(0, $keys - 1);
            }

            return $sequence;
        }
        // The popular keys do not depend on the draw, since processes must compete for the same ones.
        $popular = (new Randomizer(new Xoshiro256StarStar(self::SEED)))->shuffleArray(range(0, $keys - 1));
        $sums = [];
        $sum = 0.0;
        for ($rank = 1; $rank <= $keys; ++$rank) {
            $sums[] = $sum += $rank ** -self::EXPONENT;
        }
        for ($i = 0; $i < $length; ++$i) {
            $wanted = $sum * $random->getInt(0, (1 << 53) - 1) / (1 << 53);
            $low = 0;
            $high = $keys - 1;
            while ($low < $high) {
                $middle = intdiv($low + $high, 2);
                if ($sums[$middle] > $wanted) {
                    $high = $middle;
                } else {
                    $low = $middle + 1;
                }
            }
            $sequence[] = $popular[$low];
        }

        return $sequence;
    }

    /**
     * For each operation of a sequence, true if it is a set.
     *
     * @param int $reads percent of the operations that are gets
     * @return list<bool>
     */
    public static function sets(int $reads, int $length, int $draw = 0): array
    {
        $random = new Randomizer(new Xoshiro256StarStar(~self::SEED + $draw));
        $sets = [];
        for ($i = 0; $i < $length; ++$i) {
            $sets[] = $random->getInt(1, 100) > $reads;
        }

        return $sets;
    }
}
