<?php

declare(strict_types=1);

namespace Larder\Tests\Decorator;

use Larder\Contract\Store;
use Larder\Decorator\StoreDecorator;

/** Encrypts values, like an application's own decorator that only has the methods of Store. */
class EncryptingStore extends StoreDecorator
{
    private const CIPHER = 'aes-256-gcm';
    private const NONCE = 12;
    private const TAG = 16;

    private readonly string $password;

    public function __construct(private readonly Store $store)
    {
        $this->password = random_bytes(32);
    }

    public function decorated(): Store
    {
        return $this->store;
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $stored = $this->store->get($key, $this);

        return $stored === $this ? $default : $this->decrypted($stored);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        return array_map(
            fn(mixed $stored): mixed => $stored === $this ? $default : $this->decrypted($stored),
            $this->store->getMany($keys, $this),
        );
    }

    public function has(string $key): bool
    {
        return $this->store->has($key);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        return $this->store->set($key, $this->encrypted($value), $ttl);
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        return $this->store->setMany(array_map($this->encrypted(...), $values), $ttl);
    }

    public function delete(string $key): bool
    {
        return $this->store->delete($key);
    }

    public function deleteMany(array $keys): bool
    {
        return $this->store->deleteMany($keys);
    }

    public function clear(): bool
    {
        return $this->store->clear();
    }

    protected function encrypted(mixed $value): string
    {
        $nonce = random_bytes(self::NONCE);
        $bytes = openssl_encrypt(
            serialize($value),
            self::CIPHER,
            $this->password,
            \OPENSSL_RAW_DATA,
            $nonce,
            $tag,
            '',
            self::TAG,
        );

        return $nonce . $tag . $bytes;
    }

    protected function decrypted(mixed $stored): mixed
    {
        $stored = \is_string($stored) ? $stored : throw new \UnexpectedValueException('This was not encrypted');
        $value = openssl_decrypt(
            substr($stored, self::NONCE + self::TAG),
            self::CIPHER,
            $this->password,
            \OPENSSL_RAW_DATA,
            substr($stored, 0, self::NONCE),
            substr($stored, self::NONCE, self::TAG),
        );

        return $value === false ? throw new \UnexpectedValueException('This was not encrypted') : unserialize($value);
    }
}
