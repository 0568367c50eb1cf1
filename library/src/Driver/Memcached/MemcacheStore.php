<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Server\ConnectionSettings;

/** A memcached server by Larder's own client, which needs no extension, speaks TLS and logs in. */
final class MemcacheStore extends MemcachedProtocol
{
    /** @param string $scheme of the DSN, for messages */
    public function __construct(
        ConnectionSettings $settings,
        string $namespace = 'larder',
        Codec $codec = new PhpCodec(),
        private readonly string $scheme = 'memcache',
    ) {
        parent::__construct($settings, $namespace, $codec);
    }

    protected function scheme(): string
    {
        return $this->scheme;
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
