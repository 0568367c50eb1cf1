<?php

declare(strict_types=1);

namespace Larder\Driver\Memcached;

use Larder\Codec\Codec;
use Larder\Process\Pid;

/** A namespace on the connections of another store, which opens and closes them. */
final class MemcachedNamespace extends MemcachedProtocol
{
    /** The store itself if it was made for this namespace, with this codec. */
    public static function of(MemcachedProtocol $store, string $namespace, Codec $codec): MemcachedProtocol
    {
        return $codec === $store->codec ? $store : new self($store, $namespace, $codec);
    }

    private function __construct(private readonly MemcachedProtocol $other, string $namespace, Codec $codec)
    {
        parent::__construct($other->settings, $namespace, $codec);
    }

    protected function scheme(): string
    {
        return $this->other->scheme();
    }

    protected function ready(): void
    {
        $this->other->ready();
        if ($this->process !== Pid::own() || $this->text !== $this->other->text) {
            $this->text = $this->other->text;
            $this->process = Pid::own();
            $this->version->expire();
        }
    }

    protected function nameLimit(): int
    {
        return $this->other->nameLimit();
    }

    protected function write(string $name, string $bytes, int $expiry): bool
    {
        $this->ready();

        return $this->other->write($name, $bytes, $expiry);
    }

    protected function writeNew(string $name, string $bytes, int $expiry): ?bool
    {
        $this->ready();

        return $this->other->writeNew($name, $bytes, $expiry);
    }

    protected function remove(string $name): void
    {
        $this->ready();
        $this->other->remove($name);
    }
}
