<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Driver\Apcu\ApcuStore;
use Larder\Driver\Engine\EngineStore;
use Larder\Driver\Engine\NamespacedEngineStore;
use Larder\Driver\File\FileStore;
use Larder\Driver\Legacy\Memcache\MemcacheStore;
use Larder\Driver\Legacy\MySqlMemory\MySqlMemoryStore;
use Larder\Driver\Legacy\Shmop\ShmopStore;
use Larder\Driver\Legacy\Yac\YacStore;
use Larder\Driver\Memcached\MemcachedStore;
use Larder\Driver\Memory\ArrayStore;
use Larder\Driver\MySql\MySqlStore;
use Larder\Driver\None\NullStore;
use Larder\Driver\PhpFile\PhpFileStore;
use Larder\Driver\Redis\PredisStore;
use Larder\Driver\Redis\RedisStore;
use Larder\Driver\Sqlite\SqliteStore;
use Larder\Exception\NotSupported;

/**
 * What only some stores can do, each by an interface of its own: a store can do what its class implements, and a Decorator,
 * whose class implements all of them, what it reports.
 */
enum Capability: string
{
    case Atomic = AtomicStore::class;
    case Lock = LockingStore::class;
    case Keys = ListableStore::class;
    case Expiry = ExpiryAwareStore::class;
    case Prune = PrunableStore::class;

    /** By what addresses begin with; mysql once for its tables of whole rows and once for its MEMORY tables. */
    private const STORES = [
        'larder' => EngineStore::class,
        'larder with a namespace' => NamespacedEngineStore::class,
        'apcu' => ApcuStore::class,
        'yac' => YacStore::class,
        'shmop' => ShmopStore::class,
        'memcached' => MemcachedStore::class,
        'memcache' => MemcacheStore::class,
        'redis' => RedisStore::class,
        'redis with client=predis' => PredisStore::class,
        'mysql' => MySqlStore::class,
        'mysql with engine=memory' => MySqlMemoryStore::class,
        'sqlite' => SqliteStore::class,
        'file' => FileStore::class,
        'php-file' => PhpFileStore::class,
        'array' => ArrayStore::class,
        'none' => NullStore::class,
    ];

    /**
     * The store as one that can do what the interface asks for.
     *
     * @template S of Store
     * @template T of object
     * @param S $store
     * @param class-string<T> $interface of a case
     * @return S&T
     * @throws NotSupported
     */
    public static function of(Store $store, string $interface): Store
    {
        $capability = self::from($interface);
        if (!$store instanceof $interface || !$capability->isOf($store)) {
            throw new NotSupported(\sprintf('%s cannot %s. Stores that can: %s', self::nameOf($store), $capability->words(), implode(', ', $capability->stores())));
        }

        return $store;
    }

    /** What follows "can". */
    public function words(): string
    {
        return match ($this) {
            self::Atomic => 'change a value in one step',
            self::Lock => 'lock',
            self::Keys => 'list its keys',
            self::Expiry => 'tell when a value expires',
            self::Prune => 'prune what has expired',
        };
    }

    public function isOf(Store $store): bool
    {
        return is_a($store, $this->value) && (!$store instanceof Decorator || $store->supports($this->value));
    }

    /** @return list<string> the stores of Larder that can do this, by name */
    public function stores(): array
    {
        return array_keys(array_filter(self::STORES, fn(string $class): bool => is_a($class, $this->value, true)));
    }

    /** As in stores(); the class of a store that is not Larder's. */
    public static function nameOf(Store $store): string
    {
        if ($store instanceof Decorator) {
            return self::nameOf($store->decorated());
        }
        $name = array_search($store::class, self::STORES, true);

        return $name === false ? $store::class : $name;
    }
}
