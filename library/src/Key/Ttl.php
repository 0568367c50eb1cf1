<?php

declare(strict_types=1);

namespace Larder\Key;

use Larder\Exception\InvalidTtl;

/** Checks ttls, in seconds. */
final class Ttl
{
    /** A ttl over a hundred years means no expiry, because servers count in less than 64 bits. */
    private const FOREVER = 100 * 366 * 86_400;

    /**
     * @return float 0.0 for no expiry
     * @throws InvalidTtl if negative or not a number
     */
    public static function seconds(int|float $ttl): float
    {
        if ($ttl < 0 || is_nan($ttl)) { // opcache turns !($ttl >= 0) into $ttl < 0
            throw new InvalidTtl('A ttl is 0 (no expiry) or a number of seconds, not ' . var_export($ttl, true));
        }

        return $ttl < self::FOREVER ? (float) $ttl : 0.0;
    }

    /**
     * @return float unix time of expiry of a value stored now; 0.0 for never
     * @throws InvalidTtl if negative or not a number
     */
    public static function until(int|float $ttl): float
    {
        if ($ttl === 0) {
            return 0.0;
        }
        $seconds = self::seconds($ttl);

        return $seconds > 0.0 ? microtime(true) + $seconds : 0.0;
    }

    /**
     * @param float $time seconds
     * @return int whole microseconds, for stores that keep numbers as text: PHP's setting "precision" would cut a float
     */
    public static function microseconds(float $time): int
    {
        return (int) round(1e6 * $time);
    }
}
