<?php

declare(strict_types=1);

/** What the packages illuminate/cache, redis, filesystem and container declare, for static analysis where they are not installed. */

namespace Illuminate\Cache {
    use Illuminate\Filesystem\Filesystem;
    use Illuminate\Redis\RedisManager;
    use Psr\SimpleCache\CacheInterface;

    class Repository implements CacheInterface
    {
        public function __construct(object $store) {}

        public function get(string $key, mixed $default = null): mixed {}

        public function set(string $key, mixed $value, int|\DateInterval|null $ttl = null): bool {}

        public function delete(string $key): bool {}

        public function clear(): bool {}

        public function getMultiple(iterable $keys, mixed $default = null): iterable {}

        public function setMultiple(iterable $values, int|\DateInterval|null $ttl = null): bool {}

        public function deleteMultiple(iterable $keys): bool {}

        public function has(string $key): bool {}
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

namespace Illuminate\Container {
    class Container {}
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
