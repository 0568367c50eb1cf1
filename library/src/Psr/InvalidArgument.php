<?php

declare(strict_types=1);

namespace Larder\Psr;

use Larder\Exception\CacheException;
use Psr\Cache\InvalidArgumentException as InvalidForItemPool;
use Psr\SimpleCache\InvalidArgumentException as InvalidForSimpleCache;

/** A key, a value or an item that PSR-6 or PSR-16 does not allow. The message says which and why. */
final class InvalidArgument extends \InvalidArgumentException implements
    CacheException,
    InvalidForItemPool,
    InvalidForSimpleCache
{
    /**
     * @internal
     * @return \Throwable to throw if storing has thrown: an InvalidArgument for a value that PHP cannot serialize
     */
    public static function forValue(string $key, \Throwable $thrown): \Throwable
    {
        if ($thrown instanceof CacheException || $thrown instanceof \Error) {
            return $thrown;
        }

        $key = substr($key, 0, 64);

        return new self("The value for the key \"$key\" cannot be stored: {$thrown->getMessage()}", 0, $thrown);
    }
}
