<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Compare\StoreLocations;
use Larder\Cli\Compare\Target;
use Larder\Cli\System\ServerFailed;
use Larder\Drivers;
use Larder\Internal\Driver\Connection;

/** Stores with a limited size of memory or disk, which evict or refuse entries when it is used up. */
final class Size
{
    private const INI = [
        'larder' => ['larder.size' => '%dM', 'larder.segment' => 'sized-%d'],
        // the module apcu may be Larder's: then the entries are in the engine
        'apcu' => ['apc.shm_size' => '%dM', 'larder.size' => '%dM', 'larder.segment' => 'sized-%d'],
        'yac' => ['yac.values_memory_size' => '%dM'],
    ];
    private const SERVER = [
        'memcached' => ['-m', '%d'],
        'redis' => ['--maxmemory', '%dmb', '--maxmemory-policy', 'allkeys-lru'],
    ];
    private const FILES = ['sqlite', 'file'];

    /** @return list<string> stores that can be given a size */
    public static function stores(): array
    {
        return [...array_keys(self::INI), ...array_keys(self::SERVER), ...self::FILES];
    }

    /**
     * The same store with this size in MiB.
     *
     * @param Target $target one of stores()
     * @throws ServerFailed when its server does not start
     */
    public static function of(Target $target, int $mebibytes, StoreLocations $locations): Target
    {
        $format = static fn(string $text): string => \sprintf($text, $mebibytes);
        $address = $target->address;
        $php = $target->php;
        if (isset(self::INI[$target->store])) {
            $php = $php->with(array_map($format, self::INI[$target->store]));
        } elseif (isset(self::SERVER[$target->store])) {
            $server = $locations->server(
                Drivers::variants()[$target->store]->server,
                array_map($format, self::SERVER[$target->store]),
            );
            $address = \sprintf(
                '%s://%s?timeout=20&on_failure=throw',
                Drivers::schemeOf($target->store),
                $server->location(Connection::Socket),
            );
        } else {
            $address = \sprintf('%s?max_size=%d', Stores::elsewhere($target, 'sized', $locations), $mebibytes << 20);
        }

        return new Target($target->store, $target->connection, $address, $target->kind, $php);
    }
}
