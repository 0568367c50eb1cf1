<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Codec\Codec;
use Larder\Codec\Failures;
use Larder\Drivers;
use Larder\Dsn\Dsn;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\CodecOptions;
use Larder\Internal\Driver\Apcu\ApcuDriver;
use Larder\Internal\Driver\Memcached\MemcachedDriver;
use Larder\Internal\Driver\Redis\RedisDriver;
use Larder\Server\ConnectionSettings;

/** Finds the server of a DSN, for which APCu counts, too. */
final class Servers
{
    /** Seconds: a walk over a large server takes some. */
    private const PATIENCE = '60';

    /**
     * @return ServerEntries|null null for a DSN that names a namespace, or a store that is not a server of this kind: the
     *         library opens these
     * @throws InvalidDsn
     * @throws StoreUnavailable
     */
    public static function at(#[\SensitiveParameter] string $dsn): ?ServerEntries
    {
        $parsed = Drivers::parse($dsn);
        $driver = Drivers::get($parsed->scheme);
        $isRedis = $driver instanceof RedisDriver;
        if ($driver instanceof ApcuDriver && !isset($parsed->options['namespace'])) {
            return new ApcuEntries();
        }
        if (isset($parsed->options['namespace']) || !($isRedis || $driver instanceof MemcachedDriver)) {
            return null;
        }
        if (array_intersect(['timeout', 'read_timeout'], array_keys($parsed->options)) === []) {
            $parsed = Drivers::parse($dsn . (str_contains($dsn, '?') ? '&' : '?') . 'read_timeout=' . self::PATIENCE);
        }
        $endpoints = $parsed->endpoints($isRedis ? RedisDriver::PORT : MemcachedDriver::PORT);
        if (\count($endpoints) > 1) {
            throw $parsed->invalid('names several servers, and each has its own keys: name one of them, or a namespace');
        }
        $settings = ConnectionSettings::of($parsed, $endpoints[0]);
        if (!$isRedis) {
            return new MemcachedEntries($settings, self::codec($parsed));
        }
        $client = RedisDriver::client($parsed);
        $codec = isset($parsed->options['serializer']) ? self::codec($parsed) : null;

        return new RedisEntries(new $client($settings, (int) $parsed->number('database', 0, 0, 1_000_000)), $codec);
    }

    private static function codec(Dsn $dsn): Codec
    {
        return CodecOptions::codec($dsn, static fn(): Failures => new Failures());
    }
}
