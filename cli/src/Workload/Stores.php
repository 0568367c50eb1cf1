<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cache;
use Larder\Cli\Compare\Catalog;
use Larder\Cli\Compare\NotMeasured;
use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Subject;
use Larder\Contract\Store;
use Larder\Driver\Scope;
use Larder\Drivers;
use Larder\Exception\CacheException;

/** The stores of a workload, each with its fastest connection, and opened as a program would. */
final class Stores
{
    /**
     * Stores whose memory or files several processes share, one of each kind. For those left out, see docs/measure.md.
     */
    public const SHARED = ['larder', 'apcu', 'yac', 'memcached', 'redis', 'sqlite', 'file', 'php-file'];

    /** The fastest connection of each store. */
    private const CONNECTIONS = [null, 'socket', 'tmpfs'];

    /**
     * @param list<string> $stores
     * @param \Closure(string $store, ?string $connection): Subject $subject for a store that cannot be measured
     * @param \Closure(Subject, string): void $notMeasured
     * @return list<Target>
     */
    public static function targets(
        StoreLocations $locations,
        array $stores,
        \Closure $subject,
        \Closure $notMeasured,
    ): array {
        $catalog = new Catalog($locations);
        $targets = [];
        foreach ($stores as $store) {
            foreach ($catalog->subjects($store) as $candidate) {
                if ($candidate->settings !== [] || !\in_array($candidate->connection, self::CONNECTIONS, true)) {
                    continue;
                }
                if ($candidate instanceof NotMeasured) {
                    $notMeasured($subject($store, $candidate->connection), $candidate->reason);
                } else {
                    $targets[] = $candidate;
                }
            }
        }

        return $targets;
    }

    /** For a store in files, the DSN of a new directory; for other stores, the same DSN. */
    public static function elsewhere(Target $target, string $name, StoreLocations $locations): string
    {
        $variant = Drivers::variants()[$target->store];
        if ($variant->connections === [] || $variant->scope === Scope::Server) {
            return $target->address;
        }
        $directory = $name . '-' . $target->store;

        return \sprintf(
            '%s://%s%s',
            Drivers::schemeOf($target->store),
            $target->connection === 'tmpfs' ? $locations->tmpfs($directory) : $locations->disk($directory),
            $variant->file,
        );
    }

    /**
     * @param string $address a DSN, or a class that implements Store and takes no arguments
     * @throws CacheException when it cannot be opened
     */
    public static function open(#[\SensitiveParameter] string $address): Store
    {
        if (is_subclass_of($address, Store::class)) {
            return new $address();
        }
        $cache = Cache::open($address);
        $cache->reach();

        return $cache->store();
    }
}
