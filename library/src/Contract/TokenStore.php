<?php

declare(strict_types=1);

namespace Larder\Contract;

use Larder\Exception\InvalidKey;
use Larder\Exception\InvalidTtl;

/** A store that compares a value with a token by itself, so that it need not be read again before it is replaced. */
interface TokenStore
{
    /**
     * @return array{mixed, string}|null the value, as get() returns it, and its token, which is valid in every process
     *         and has no "@"; null if there is none
     * @throws InvalidKey
     */
    public function getWithToken(string $key): ?array;

    /**
     * Compare and set: replaces the existing value if it is the one of the token.
     *
     * @return bool false if there is no value, or another one. If the store refused, the existing value may be deleted
     * @throws InvalidKey|InvalidTtl
     */
    public function setIfToken(string $key, string $token, mixed $value, int|float $ttl = 0): bool;
}
