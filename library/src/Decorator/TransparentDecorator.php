<?php

declare(strict_types=1);

namespace Larder\Decorator;

use Larder\Contract\AtomicStore;
use Larder\Contract\Tokens;
use Larder\Contract\TokenStore;

/** Leaves values as they are: so the store behind may make their tokens, and compare with them, without a get() here. */
abstract class TransparentDecorator extends StoreDecorator implements TokenStore
{
    public function getWithToken(string $key): ?array
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): ?array => Tokens::read($store, $key), null);
    }

    public function setIfToken(string $key, string $token, mixed $value, int|float $ttl = 0): bool
    {
        return $this->forward(AtomicStore::class, $key, static fn(AtomicStore $store): bool => Tokens::write($store, $key, $token, $value, $ttl), false);
    }
}
