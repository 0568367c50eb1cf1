<?php

declare(strict_types=1);

namespace Larder\Driver\Redis;

use Larder\Codec\Codec;

/** A namespace on the connection of another store, which opens, tests and closes it. */
final class RedisNamespace extends RedisProtocol
{
    /** The store itself if it was made for this namespace, with this codec. */
    public static function of(RedisProtocol $store, string $namespace, Codec $codec): RedisProtocol
    {
        return $codec === $store->codec ? $store : new self($store, $namespace, $codec);
    }

    private function __construct(private readonly RedisProtocol $other, string $namespace, Codec $codec)
    {
        parent::__construct($other->settings, $namespace, $codec, $other->database, $other->role);
    }

    public function reach(): void
    {
        $this->other->reach();
    }

    public function asking(\Closure $work): mixed
    {
        return $this->other->asking(fn(): mixed => parent::asking($work));
    }

    protected function ready(): int
    {
        return $this->other->ready();
    }

    protected function connected(): int
    {
        return $this->other->connected();
    }

    protected function forgetConnection(): void
    {
        $this->other->forgetConnection();
    }

    protected function closeConnection(): void
    {
        $this->other->closeConnection();
    }

    protected function checkClient(): void {}

    protected function connect(bool $persistent): void
    {
        $this->other->connect($persistent);
    }

    protected function disconnect(): void
    {
        $this->other->disconnect();
    }

    protected function isConnected(): bool
    {
        return $this->other->isConnected();
    }

    protected function answers(): bool
    {
        return $this->other->answers();
    }

    protected function command(string $command, string ...$arguments): mixed
    {
        return $this->other->command($command, ...$arguments);
    }

    protected function commands(array $commands): array
    {
        return $this->other->commands($commands);
    }

    protected function read(string $name): ?string
    {
        return $this->other->read($name);
    }

    protected function readMany(array $names): array
    {
        return $this->other->readMany($names);
    }

    protected function exists(string $name): bool
    {
        return $this->other->exists($name);
    }

    protected function write(string $name, string $bytes, int $milliseconds): bool
    {
        return $this->other->write($name, $bytes, $milliseconds);
    }

    protected function writeMany(array $values, int $milliseconds): bool
    {
        return $this->other->writeMany($values, $milliseconds);
    }

    protected function remove(array $names): bool
    {
        return $this->other->remove($names);
    }

    protected function names(string $pattern): iterable
    {
        return $this->other->names($pattern);
    }
}
