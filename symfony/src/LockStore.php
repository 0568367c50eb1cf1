<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache;
use Symfony\Component\Lock\BlockingSharedLockStoreInterface;
use Symfony\Component\Lock\BlockingStoreInterface;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Exception\LockStorageException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Store\ExpiringStoreTrait;

/**
 * Locks of symfony/lock in a store of Larder: exclusive ones, and shared ones for readers. They end by their ttl, and
 * another process that has the key may continue or release them. A store that evicts may lose a lock.
 *
 * A lock is a value, changed by compare-and-swap: its holders, by token, with the time until which each holds it, and
 * true for a writer. While there is one holder, only the store's clock counts, as machines' clocks differ.
 */
final class LockStore implements BlockingSharedLockStoreInterface, BlockingStoreInterface
{
    use ExpiringStoreTrait;

    /** The namespace of locks below that of the DSN. No pool may have this name, so none clears them. */
    private const POOL = '{locks}';
    private const TRIES = 1000;
    /** Microseconds between two tries: at first, and at most. */
    private const PAUSE = 500;
    private const LONGEST_PAUSE = 10_000;

    private ?Cache $cache = null;

    /**
     * @param Provider|Cache|string|null $provider a string is a DSN; null for that of LARDER_DSN, or "auto:" without it
     * @param float $initialTtl seconds, for locks without a ttl
     */
    public function __construct(
        #[\SensitiveParameter]
        private readonly Provider|Cache|string|null $provider = null,
        private readonly float $initialTtl = 300.0,
    ) {
        if (!($initialTtl > 0.0)) {
            throw new InvalidTtlException("The initial ttl of locks is more than 0 seconds, not $initialTtl");
        }
    }

    public function save(Key $key): void
    {
        $this->hold($key, true);
    }

    public function saveRead(Key $key): void
    {
        $this->hold($key, false);
    }

    public function waitAndSave(Key $key): void
    {
        $this->wait($key, true);
    }

    public function waitAndSaveRead(Key $key): void
    {
        $this->wait($key, false);
    }

    public function putOffExpiration(Key $key, float $ttl): void
    {
        if (!($ttl > 0.0)) {
            throw new InvalidTtlException(\sprintf('The ttl of a lock is more than 0 seconds, not %s', $ttl));
        }
        $key->reduceLifetime($ttl);
        $token = self::token($key);
        $this->change($key, static function (array $holders) use ($token, $ttl): array {
            if (!isset($holders[$token])) {
                throw new LockConflictedException();
            }
            $holders[$token][0] = microtime(true) + $ttl;

            return $holders;
        });
        $this->checkNotExpired($key);
    }

    public function delete(Key $key): void
    {
        $token = self::token($key);
        $this->change($key, static fn(array $holders): array => array_diff_key($holders, [$token => true]));
        $key->removeState(self::class);
    }

    public function exists(Key $key): bool
    {
        return $key->hasState(self::class)
            && isset(self::holders($this->cache()->get(self::name($key)))[self::token($key)]);
    }

    private function hold(Key $key, bool $isWriter): void
    {
        $key->reduceLifetime($this->initialTtl);
        $token = self::token($key);
        $own = [$token => [microtime(true) + $this->initialTtl, $isWriter]];
        $this->change($key, static function (array $holders) use ($own, $isWriter): array {
            $others = array_diff_key($holders, $own);
            if ($isWriter ? $others !== [] : \in_array(true, array_column($others, 1), true)) {
                throw new LockConflictedException();
            }

            return $own + $others;
        });
        $this->checkNotExpired($key);
    }

    private function wait(Key $key, bool $isWriter): void
    {
        $pause = self::PAUSE;
        while (true) {
            try {
                $this->hold($key, $isWriter);

                return;
            } catch (LockConflictedException) {
                usleep($pause);
                $pause = min(2 * $pause, self::LONGEST_PAUSE);
            }
        }
    }

    /**
     * @param \Closure(array<string, array{float, bool}>): array<string, array{float, bool}> $change
     * @throws LockConflictedException of the closure
     */
    private function change(Key $key, \Closure $change): void
    {
        $cache = $this->cache();
        $name = self::name($key);
        for ($try = 0; $try < self::TRIES; ++$try) {
            $old = self::holders($cache->getWithToken($name, null, $unchanged));
            $new = $change($old);
            if ($new === $old) {
                return;
            }
            // Nobody holds it: a compare-and-swap cannot delete.
            $ttl = $new === [] ? 1.0 : max(0.001, max(array_column($new, 0)) - microtime(true));
            $isChanged = $unchanged === null
                ? $cache->add($name, $new, $ttl)
                : $cache->setIfUnchanged($name, $unchanged, $new, $ttl);
            if ($isChanged) {
                return;
            }
        }

        throw new LockStorageException(\sprintf('The store refused the lock "%s": it is full, or unreachable', $key));
    }

    /** @return array<string, array{float, bool}> those that still hold the lock */
    private static function holders(mixed $stored): array
    {
        $holders = [];
        foreach (\is_array($stored) ? $stored : [] as $token => $holder) {
            if (\is_array($holder) && \is_float($holder[0] ?? null) && \is_bool($holder[1] ?? null)) {
                $holders[(string) $token] = [$holder[0], $holder[1]];
            }
        }
        $now = microtime(true);

        return \count($holders) === 1 ? $holders
            : array_filter($holders, static fn(array $holder): bool => $holder[0] > $now);
    }

    private static function token(Key $key): string
    {
        if (!$key->hasState(self::class)) {
            $key->setState(self::class, bin2hex(random_bytes(16)));
        }
        $token = $key->getState(self::class);

        return \is_string($token) ? $token : '';
    }

    /** Of any length and bytes. */
    private static function name(Key $key): string
    {
        return hash('sha256', (string) $key);
    }

    private function cache(): Cache
    {
        return $this->cache ??= Provider::open($this->provider, self::POOL);
    }
}
