<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache;
use Larder\Session\Handler;
use Symfony\Component\Cache\Adapter\AbstractAdapter;
use Symfony\Component\Cache\Adapter\AdapterInterface;
use Symfony\Component\Cache\Marshaller\MarshallerInterface;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\SessionHandlerFactory;
use Symfony\Component\HttpFoundation\Session\Storage\Handler\StrictSessionHandler;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Store\StoreFactory;

/**
 * Takes the place of Symfony's factories, whose lists of DSNs are fixed. It decides when a service is made, because the
 * DSN may come from the environment. What Symfony knows stays Symfony's; "larder+" in front of a DSN, as in
 * larder+redis://127.0.0.1, makes it Larder's.
 *
 * @internal
 */
final class Factory
{
    private const OWN = '/^(?:auto|larder|apcu|yac|shmop|array|none|php-file|tier|(?:rediss?|valkeys?)\+\w+):/';
    private const PREFIX = 'larder+';

    /** @return string|null the DSN for Larder; null if it is Symfony's */
    public static function dsn(#[\SensitiveParameter] mixed $connection): ?string
    {
        if (!\is_string($connection)) {
            return null;
        }
        if (str_starts_with($connection, self::PREFIX)) {
            return substr($connection, \strlen(self::PREFIX));
        }

        return preg_match(self::OWN, $connection) === 1 ? $connection : null;
    }

    public static function lock(#[\SensitiveParameter] object|string $connection): PersistingStoreInterface
    {
        if ($connection instanceof PersistingStoreInterface) { // such as larder.lock.store
            return $connection;
        }
        $isFile = \is_string($connection) && str_starts_with($connection, 'file:'); // Symfony has no such locks
        $dsn = $isFile ? $connection : self::dsn($connection);

        return $dsn === null ? StoreFactory::createStore($connection) : new LockStore($dsn);
    }

    /** @param array<mixed> $options of Symfony's factory */
    public static function session(
        #[\SensitiveParameter]
        object|string $connection,
        #[\SensitiveParameter]
        array $options = [],
    ): \SessionHandlerInterface {
        $dsn = self::dsn($connection);

        return match (true) {
            $dsn === null => SessionHandlerFactory::createHandler($connection, $options),
            preg_match('~^larder:/{0,2}$~D', $dsn) === 1 => new StrictSessionHandler(new SessionHandler()),
            default => new Handler(Cache::open($dsn)),
        };
    }

    /** @param array<mixed> $options of Symfony's factory */
    public static function connection(
        #[\SensitiveParameter]
        string $dsn,
        #[\SensitiveParameter]
        array $options = [],
    ): mixed {
        $own = self::dsn($dsn);

        return $own === null ? AbstractAdapter::createConnection($dsn, $options) : new Provider($own);
    }

    /**
     * For framework.cache.default_provider of Symfony 8.2, written from its description: no test has run it, because
     * there is no such release yet.
     */
    public static function adapter(
        mixed $connection,
        string $namespace = '',
        int $defaultLifetime = 0,
        ?MarshallerInterface $marshaller = null,
    ): AdapterInterface {
        if ($connection instanceof Provider) {
            return new Adapter($connection, $namespace, $defaultLifetime, $marshaller);
        }
        $create = [AbstractAdapter::class, 'createAdapter'];
        $adapter = \is_callable($create) ? $create($connection, $namespace, $defaultLifetime, $marshaller) : null;

        return $adapter instanceof AdapterInterface ? $adapter
            : throw new \LogicException('Symfony has no AbstractAdapter::createAdapter() that makes a pool');
    }
}
