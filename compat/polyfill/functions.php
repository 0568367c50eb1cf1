<?php

/**
 * The constants and functions of the extension larder. The library's larder.stub.php says what each does: here as there,
 * but for one process.
 */

declare(strict_types=1);

use Larder\Polyfill\Arguments;
use Larder\Polyfill\Memory;

const LARDER_ERROR_NONE = 0;
const LARDER_ERROR_SIZE = 1;
const LARDER_ERROR_ROOM = 2;
const LARDER_ERROR_TYPE = 3;
const LARDER_ERROR_RANGE = 4;
const LARDER_ERROR_UNAVAILABLE = 5;

const LARDER_CLAIM_UNAVAILABLE = 0;
const LARDER_CLAIM_MISSING = 1;
const LARDER_CLAIM_VALUE = 2;
const LARDER_CLAIM_OTHER = 3;
const LARDER_CLAIM_OWN = 4;

function larder_last_error(): int
{
    return Memory::ofThisProcess()->error;
}

function larder_last_error_msg(): string
{
    return match (Memory::ofThisProcess()->error) {
        LARDER_ERROR_SIZE => sprintf('The value is larger than an eighth of the %d bytes that larder/polyfill keeps', Memory::LIMIT),
        LARDER_ERROR_TYPE => 'The value is not an integer',
        LARDER_ERROR_RANGE => 'The result is outside the range of int',
        default => '',
    };
}

function larder_fetch(string $key, mixed $default = null): mixed
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->fetch($key, $default);
}

function larder_peek(string $key, mixed $default = null, bool $incomplete = false): mixed
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->peek($key, $default);
}

function larder_fetch_if(string $key, string $guard, mixed $default = null): mixed
{
    Arguments::checkKey(__FUNCTION__, $key);
    Arguments::checkKey(__FUNCTION__, $guard, 2, 'guard');

    return Memory::ofThisProcess()->fetchIf($key, $guard, $default);
}

/**
 * @param mixed[] $keys
 * @return mixed[]
 */
function larder_fetch_multiple(array $keys, mixed $default = null): array
{
    $found = [];
    foreach (Arguments::keys(__FUNCTION__, $keys) as $key) {
        $found[$key] = Memory::ofThisProcess()->fetch($key, $default);
    }

    return $found;
}

function larder_store(string $key, mixed $value, int|float|null $ttl = null, int|float $stale = 0, float $cost = 0.0): bool
{
    Arguments::checkKey(__FUNCTION__, $key);
    $seconds = Arguments::ttl(__FUNCTION__, 3, $ttl);

    return Memory::ofThisProcess()->store($key, $value, $seconds, stale: Arguments::ttl(__FUNCTION__, 4, $stale, 'stale'), cost: Arguments::ttl(__FUNCTION__, 5, $cost, 'cost'));
}

/**
 * @param mixed[] $values
 * @return int[]
 */
function larder_store_multiple(array $values, int|float|null $ttl = null): array
{
    $seconds = Arguments::ttl(__FUNCTION__, 2, $ttl);
    $memory = Memory::ofThisProcess();
    [$refused, $last] = [[], LARDER_ERROR_NONE];
    foreach ($values as $key => $value) {
        if (!$memory->store(Arguments::element(__FUNCTION__, 'values', (string) $key), $value, $seconds)) {
            $refused[$key] = $last = $memory->error;
        }
    }
    $memory->error = $last;

    return $refused;
}

function larder_add(string $key, mixed $value, int|float|null $ttl = null): bool
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->store($key, $value, Arguments::ttl(__FUNCTION__, 3, $ttl), isThere: false);
}

/**
 * @param mixed[] $values
 * @return int[]
 */
function larder_add_multiple(array $values, int|float|null $ttl = null): array
{
    $seconds = Arguments::ttl(__FUNCTION__, 2, $ttl);
    $memory = Memory::ofThisProcess();
    [$refused, $last] = [[], LARDER_ERROR_NONE];
    foreach ($values as $key => $value) {
        if (!$memory->store(Arguments::element(__FUNCTION__, 'values', (string) $key), $value, $seconds, isThere: false)) {
            $refused[$key] = $memory->error;
            $last = $memory->error === LARDER_ERROR_NONE ? $last : $memory->error;
        }
    }
    $memory->error = $last;

    return $refused;
}

function larder_replace(string $key, mixed $value, int|float|null $ttl = null): bool
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->store($key, $value, Arguments::ttl(__FUNCTION__, 3, $ttl), isThere: true);
}

/** @param-out int|null $cas */
function larder_fetch_cas(string $key, mixed $default = null, mixed &$cas = null): mixed
{
    Arguments::checkKey(__FUNCTION__, $key);
    $value = Memory::ofThisProcess()->fetch($key, $default, $token);
    $cas = $token;

    return $value;
}

function larder_store_cas(string $key, mixed $value, int $cas, int|float|null $ttl = null, int|float $stale = 0, float $cost = 0.0): bool
{
    Arguments::checkKey(__FUNCTION__, $key);
    $seconds = Arguments::ttl(__FUNCTION__, 4, $ttl);

    return Memory::ofThisProcess()->store($key, $value, $seconds, true, $cas, Arguments::ttl(__FUNCTION__, 5, $stale, 'stale'), Arguments::ttl(__FUNCTION__, 6, $cost, 'cost'));
}

function larder_fetch_fresh(string $key, mixed $default = null, float $beta = 1.0): mixed
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->fetchFresh($key, $default, Arguments::ttl(__FUNCTION__, 3, $beta, 'beta'));
}

/** @return mixed[]|null */
function larder_fetch_entry(string $key): ?array
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->fetchEntry($key);
}

/** @param-out int|null $cas */
function larder_claim(string $key, mixed &$cas = null, ?int $useless = null): int
{
    Arguments::checkKey(__FUNCTION__, $key);
    $claimed = Memory::ofThisProcess()->claim($key, $token, $useless);
    $cas = $token;

    return $claimed;
}

/** There is no other process to wait for. */
function larder_await(string $key, float $seconds, ?int $cas = null): bool
{
    Arguments::checkKey(__FUNCTION__, $key);
    Arguments::ttl(__FUNCTION__, 2, $seconds, 'seconds');

    return !Memory::ofThisProcess()->hasClaim($key);
}

function larder_unclaim(string $key): void
{
    Arguments::checkKey(__FUNCTION__, $key);
    Memory::ofThisProcess()->unclaim($key);
}

function larder_delete(string $key): bool
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->delete($key);
}

/**
 * @param mixed[] $keys
 * @return mixed[]
 */
function larder_delete_multiple(array $keys): array
{
    $absent = [];
    foreach (Arguments::keys(__FUNCTION__, $keys) as $key) {
        if (!Memory::ofThisProcess()->delete($key)) {
            $absent[] = $key;
        }
    }

    return $absent;
}

function larder_delete_prefix(string $prefix): int
{
    if ($prefix === '') {
        throw new ValueError(__FUNCTION__ . '(): Argument #1 ($prefix) must not be empty, larder_clear() deletes everything');
    }
    $memory = Memory::ofThisProcess();
    $memory->error = LARDER_ERROR_NONE;

    return count(array_filter($memory->keptKeys($prefix), $memory->delete(...)));
}

function larder_exists(string $key): bool
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->has($key);
}

/**
 * @param mixed[] $keys
 * @return bool[]
 */
function larder_exists_multiple(array $keys): array
{
    $found = [];
    foreach (Arguments::keys(__FUNCTION__, $keys) as $key) {
        $found[$key] = Memory::ofThisProcess()->has($key);
    }

    return $found;
}

function larder_touch(string $key, int|float $ttl): bool
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->touch($key, Arguments::ttl(__FUNCTION__, 2, $ttl));
}

function larder_increment(string $key, int $step = 1, int|float|null $ttl = null): int|false
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->count($key, static fn(int $old): int|float => $old + $step, Arguments::ttl(__FUNCTION__, 3, $ttl));
}

function larder_decrement(string $key, int $step = 1, int|float|null $ttl = null): int|false
{
    Arguments::checkKey(__FUNCTION__, $key);
    $seconds = Arguments::ttl(__FUNCTION__, 3, $ttl);
    if ($step === PHP_INT_MIN) {
        throw new ValueError(__FUNCTION__ . '(): Argument #2 ($step) must be greater than PHP_INT_MIN');
    }

    return Memory::ofThisProcess()->count($key, static fn(int $old): int|float => $old - $step, $seconds);
}

function larder_cas(string $key, int $old, int $new): bool
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->swap($key, $old, $new);
}

function larder_clear(): bool
{
    Memory::ofThisProcess()->clear();

    return true;
}

/** There is nothing to give back before the process ends. */
function larder_release(): int
{
    return 0;
}

/** There is nothing whose settings could differ. */
function larder_resize(): bool
{
    return true;
}

/** @return mixed[]|null */
function larder_key_info(string $key): ?array
{
    Arguments::checkKey(__FUNCTION__, $key);

    return Memory::ofThisProcess()->describe($key);
}

/** @return mixed[] */
function larder_info(bool $tables = true): array
{
    $memory = Memory::ofThisProcess();

    return $memory->info() + ($tables ? $memory->tables() : []);
}

/** @return list<array{size: int, hit_rate: float}> */
function larder_predict(): array
{
    return []; // it keeps no samples
}

function larder_pid(): int
{
    return (int) getmypid();
}
