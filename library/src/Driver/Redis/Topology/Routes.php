<?php

declare(strict_types=1);

namespace Larder\Driver\Redis\Topology;

use Larder\Contract\Store;
use Larder\Decorator\Breaker\Breaker;
use Larder\Decorator\Breaker\OutageRecord;
use Larder\Driver\Opener;
use Larder\Driver\Redis\PredisStore;
use Larder\Driver\Redis\RedisNamespace;
use Larder\Driver\Redis\RedisProtocol;
use Larder\Driver\Redis\RedisStore;
use Larder\Driver\Redis\ServerRole;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Exception\StoreUnavailable;
use Larder\Server\ConnectionSettings;

/** Opens the store of a DSN whose servers are found by asking. */
final class Routes
{
    public const OPTIONS = ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::CONNECTION_OPTIONS, 'client', 'read'];

    /**
     * @param ServerRole $role of the masters
     * @param ConnectionSettings $settings of a server of the DSN, and of the others but for the endpoint
     * @throws InvalidDsn|StoreUnavailable
     */
    public static function open(Dsn $dsn, Opener $opener, Discovery $discovery, ServerRole $role, ConnectionSettings $settings): Store
    {
        $class = $dsn->choice('client', ['phpredis', 'predis'], 'phpredis') === 'phpredis' ? RedisStore::class : PredisStore::class;
        $database = $role->hasSlots() ? 0 : (int) $dsn->number('database', 0, 0, 1_000_000);
        $codec = $opener->codec($dsn);
        $way = serialize([$dsn->servers, $dsn->options['master'] ?? '', self::readsReplicas($dsn), $opener->way($dsn)]);
        $connect = static function (Endpoint $endpoint, ServerRole $role) use ($class, $dsn, $opener, $codec, $database, $settings, $way): Node {
            $server = RedisNamespace::of($opener->shared($class, "$way $endpoint $role->name", static fn(): RedisStore|PredisStore
                => new $class($settings->at($endpoint), $dsn->namespace(), $codec, $database, $role)), $dsn->namespace(), $codec);

            return new Node($server, $opener->withBreaker($server, $dsn, $endpoint, throws: true));
        };
        $connect($settings->endpoint, $role); // so that a missing client is told now
        $patience = 1.0 + \count($dsn->servers) * (2 * $settings->connectTimeout + $settings->readTimeout);
        $breaker = new Breaker($dsn->scheme, implode(',', $dsn->servers), OutageRecord::ofThisUser($way), $opener->logger(), probe: $patience);
        $topology = $opener->shared(Topology::class, $way, static fn(): Topology => new Topology($discovery, TopologyRecord::ofThisUser($way), $breaker));

        return new RoutedStore($topology, $connect, $role, RedisProtocol::prefix($dsn->namespace()), (string) $settings->endpoint, self::readsReplicas($dsn), $dsn->throws());
    }

    /**
     * @return \Closure(): non-empty-list<ConnectionSettings> asks which servers are masters now
     */
    public static function masters(Discovery $discovery, ConnectionSettings $settings): \Closure
    {
        return static fn(): array => array_map(static fn(string $master): ConnectionSettings => $settings->at(Endpoint::parse($master)), $discovery->ask([], [])->masters());
    }

    /** @throws InvalidDsn */
    public static function readsReplicas(Dsn $dsn): bool
    {
        return $dsn->choice('read', ['master', 'replica'], 'master') === 'replica';
    }
}
