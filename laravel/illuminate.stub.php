<?php

declare(strict_types=1);

/**
 * Declarations of Laravel's classes that Larder uses, for static analysis and for tests that do not need Laravel:
 * lab/laravel/prove runs those that do. The methods have no content.
 */

namespace Illuminate\Cache {
    use Illuminate\Contracts\Cache\Store;
    use Illuminate\Contracts\Events\Dispatcher;
    use Illuminate\Filesystem\Filesystem;
    use Illuminate\Redis\RedisManager;
    use Psr\SimpleCache\CacheInterface;

    abstract class TaggableStore implements Store {}

    class Repository implements CacheInterface
    {
        /** @var Store */
        protected $store;

        /** @var ?Dispatcher */
        protected $events;

        /** @param array<mixed> $config */
        public function __construct(object $store, array $config = []) {}

        /** @param mixed $key */
        public function get($key, mixed $default = null): mixed {}

        public function put(mixed $key, mixed $value, mixed $ttl = null): bool {}

        public function set(string $key, mixed $value, int|\DateInterval|null $ttl = null): bool {}

        public function delete(string $key): bool {}

        public function clear(): bool {}

        public function getMultiple(iterable $keys, mixed $default = null): iterable {}

        public function setMultiple(iterable $values, int|\DateInterval|null $ttl = null): bool {}

        public function deleteMultiple(iterable $keys): bool {}

        public function has(string $key): bool {}

        public function getName(): ?string {}

        public function getStore(): Store {}

        public function setStore(Store $store): static {}

        public function setEventDispatcher(Dispatcher $events): void {}

        protected function itemKey(string $key): string {}

        protected function getSeconds(mixed $ttl): int {}

        protected function event(object $event): void {}
    }

    class TagSet
    {
        /** @var list<string> */
        protected $names;

        /** @param list<string> $names */
        public function __construct(Store $store, array $names = []) {}

        public function getNamespace(): string {}

        /** @return list<string> */
        public function getNames(): array {}
    }

    class TaggedCache extends Repository
    {
        /** @var TagSet */
        protected $tags;

        public function __construct(Store $store, TagSet $tags) {}
    }

    class CacheManager
    {
        public function extend(string $driver, \Closure $callback): static {}

        public function store(?string $name = null): Repository {}
    }

    class ApcWrapper {}

    class ApcStore
    {
        public function __construct(ApcWrapper $apc, string $prefix = '') {}
    }

    class FileStore
    {
        public function __construct(Filesystem $files, string $directory) {}
    }

    class RedisStore
    {
        public function __construct(RedisManager $redis, string $prefix = '') {}
    }
}

namespace Illuminate\Cache\Events {
    class CacheFlushed
    {
        public function __construct(?string $storeName) {}
    }

    class CacheFlushFailed
    {
        public function __construct(?string $storeName) {}
    }

    class CacheFlushing
    {
        public function __construct(?string $storeName) {}
    }

    class CacheHit {}

    class CacheMissed {}

    class RetrievingKey {}

    class WritingKey
    {
        public function __construct(?string $storeName, string $key, mixed $value, ?int $seconds = null) {}
    }

    class KeyWritten
    {
        public function __construct(?string $storeName, string $key, mixed $value, ?int $seconds = null) {}
    }
}

namespace Illuminate\Console\Events {
    class CommandStarting
    {
        public ?string $command;
    }
}

namespace Illuminate\Container {
    class Container {}
}

namespace Illuminate\Events {
    use Illuminate\Contracts\Events\Dispatcher as Contract;

    abstract class Dispatcher implements Contract {}
}

namespace Illuminate\Filesystem {
    class Filesystem {}
}

namespace Illuminate\Redis {
    use Illuminate\Container\Container;

    class RedisManager
    {
        /** @param array<string, mixed> $config */
        public function __construct(Container $app, string $driver, array $config) {}
    }
}

namespace Illuminate\Session {
    use Illuminate\Cache\Repository;

    class CacheBasedSessionHandler
    {
        public function __construct(Repository $cache, int $minutes) {}
    }

    class SessionManager
    {
        public function extend(string $driver, \Closure $callback): static {}
    }
}

namespace Illuminate\Support {
    abstract class ServiceProvider
    {
        /** @var \Illuminate\Contracts\Foundation\Application */
        protected $app;

        protected function mergeConfigFrom(string $path, string $key): void {}

        protected function callAfterResolving(string $name, \Closure $callback): void {}
    }

    function enum_value(mixed $value): string {}
}

namespace {
    function env(string $name, mixed $default = null): mixed {}
}
