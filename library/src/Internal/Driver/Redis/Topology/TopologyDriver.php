<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis\Topology;

use Larder\Contract\Store;
use Larder\Driver\Opener;
use Larder\Dsn\Dsn;
use Larder\Dsn\Endpoint;
use Larder\Dsn\Scheme;
use Larder\Exception\InvalidDsn;
use Larder\Internal\Decorator\Breaker\Breaker;
use Larder\Internal\Decorator\Breaker\BreakerStore;
use Larder\Internal\Decorator\Breaker\OutageRecord;
use Larder\Internal\Driver\ExaminesServers;
use Larder\Internal\Driver\Redis\RedisDriver;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Internal\Driver\Redis\ServerInspection;
use Larder\Internal\Driver\Redis\ServerRole;
use Larder\Server\ConnectionSettings;

/** Opens the store of a DSN that names some servers; these are asked for the others. */
abstract class TopologyDriver implements ExaminesServers
{
    protected const OPTIONS = ['namespace', ...Scheme::CODEC_OPTIONS, ...Scheme::CONNECTION_OPTIONS, 'client', 'read'];

    /** The role of the masters. */
    abstract protected function role(): ServerRole;

    /**
     * @return non-empty-list<Endpoint> the endpoints of the DSN
     * @throws InvalidDsn
     */
    abstract protected function named(Dsn $dsn): array;

    /**
     * @param non-empty-list<Endpoint> $named
     * @param ConnectionSettings $settings of the servers, except for the endpoint
     * @return \Closure(list<string>, array<int, string>): SlotMap finds the servers, as ClusterDiscovery::ask()
     */
    abstract protected function discovery(Dsn $dsn, array $named, ConnectionSettings $settings): \Closure;

    public function open(Dsn $dsn, Opener $opener): Store
    {
        $named = $this->named($dsn);
        $settings = $opener->connection($dsn, $named[0]);
        $discovery = $this->discovery($dsn, $named, $settings);
        $class = RedisDriver::client($dsn);
        $database = $this->role()->hasSlots() ? 0 : (int) $dsn->number('database', 0, 0, 1_000_000);
        $codec = $opener->codec($dsn, $database === 0 ? '' : (string) $database);
        $servers = implode(',', $dsn->servers);
        $way = serialize([$dsn->servers, $dsn->options['master'] ?? '', self::readsReplicas($dsn), $opener->way($dsn)]);
        $connection = $opener->shared(RoutedConnection::class, $way, function () use (
            $class,
            $dsn,
            $opener,
            $discovery,
            $database,
            $settings,
            $servers,
            $way,
        ): RoutedConnection {
            $connect = static fn(Endpoint $endpoint, ServerRole $role): array
                => [new $class($settings->at($endpoint), $database, $role), $opener->guard($dsn, $endpoint)];
            $connect($settings->endpoint, $this->role()); // so that a missing client is reported now
            $patience = 1.0 + \count($dsn->servers) * (2 * $settings->connectTimeout + $settings->readTimeout);
            $breaker = new Breaker(
                $dsn->scheme,
                $servers,
                OutageRecord::ofThisUser($way),
                $opener->logger(),
                probe: $patience,
            );

            return new RoutedConnection(
                new Topology($discovery, TopologyRecord::ofThisUser($way), $breaker),
                $connect,
                $this->role(),
                self::readsReplicas($dsn),
                $dsn->throws(),
            );
        });

        // Each server has its own breaker. This one never opens; it turns failures into misses, or throws them.
        return new BreakerStore(
            new RedisStore($connection, $dsn->namespace(), $codec),
            static fn(bool $hasFailed): ?Breaker
                => $hasFailed ? new Breaker($dsn->scheme, $servers, threshold: \PHP_INT_MAX) : null,
            $dsn->throws(),
        );
    }

    public function variants(): array
    {
        return [];
    }

    public function written(Dsn $dsn): \Closure
    {
        $named = $this->named($dsn);
        $settings = ConnectionSettings::of($dsn, $named[0]);
        $discovery = $this->discovery($dsn, $named, $settings);

        return static fn(): array => array_map(
            static fn(string $master): ConnectionSettings => $settings->at(Endpoint::parse($master)),
            $discovery([], [])->masters(),
        );
    }

    public function examine(Dsn $dsn): array
    {
        return ServerInspection::ofAll($this, $dsn, $this->role());
    }

    /** @throws InvalidDsn */
    protected static function readsReplicas(Dsn $dsn): bool
    {
        return $dsn->choice('read', ['master', 'replica'], 'master') === 'replica';
    }
}
