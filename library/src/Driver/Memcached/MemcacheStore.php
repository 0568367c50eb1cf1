<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

/** A memcached server by Larder's own client: it needs no extension. */
final class MemcacheStore extends MemcachedProtocol
{
    protected function scheme(): string
    {
        return 'memcache';
    }

    protected function write(string $name, string $bytes, int $expiry): bool
    {
        return $this->text->set($name, $bytes, $expiry);
    }

    protected function writeNew(string $name, string $bytes, int $expiry): ?bool
    {
        return $this->text->add($name, $bytes, $expiry);
    }

    protected function remove(string $name): void
    {
        $this->text->delete($name);
    }
}
