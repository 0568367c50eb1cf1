<?php

declare(strict_types=1);

namespace Larder\Session;

use Larder\Contract\AtomicStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\Store;
use Larder\Exception\SessionFailed;
use Larder\Exception\StoreFailed;
use Larder\Lock\Lock;
use Larder\Process\Pid;
use Larder\Remember\Lease;

/**
 * One session while this process has its lock.
 *
 * The lock alone would not prevent a lost update: a process that is stopped may go on after its lock has ended. So each
 * write also gives what is stored a new version, and replaces only the version that was read.
 */
final class LockedSession
{
    private const VERSION_BYTES = 8;

    private readonly int $process;

    private function __construct(
        private readonly Store&AtomicStore&LockingStore $store,
        #[\SensitiveParameter]
        public readonly string $id,
        private readonly string $key,
        #[\SensitiveParameter]
        private readonly string $token,
        private readonly Lease $lease,
        private readonly float $lockSeconds,
        private ?string $version,
        #[\SensitiveParameter]
        public readonly string $data,
    ) {
        $this->process = Pid::own();
    }

    /**
     * @param string $id checked by the caller
     * @throws SessionFailed if it could not be locked in time, or the store is unreachable
     * @throws StoreFailed over a store that throws
     */
    public static function lock(Store&AtomicStore&LockingStore $store, #[\SensitiveParameter] string $id, float $lockSeconds, float $wait): self
    {
        $key = self::key($id);
        $lock = Lock::take($store, $key, $lockSeconds, $wait, LockLifetime::Process)
            ?? throw ($store->holder($key) === null ? SessionFailed::unreachable() : SessionFailed::locked($wait));
        $lease = new Lease($lock); // releases it if an exception follows
        $stored = $store->get($key);
        [$version, $data] = \is_array($stored) ? $stored + [null, null] : [null, null];
        if (\is_string($version) && \is_string($data)) {
            return new self($store, $id, $key, $lock->token, $lease, $lockSeconds, $version, $data);
        }
        // A store that has become unreachable since gives a miss too, and that is not an empty session.
        if ($store->holder($key) !== $lock->token) {
            throw SessionFailed::unreachable();
        }

        return new self($store, $id, $key, $lock->token, $lease, $lockSeconds, null, '');
    }

    /**
     * Whether there is such a session, by whomever it is locked.
     *
     * @throws StoreFailed over a store that throws
     */
    public static function isStored(Store $store, #[\SensitiveParameter] string $id): bool
    {
        return $store->get(self::key($id)) !== null;
    }

    /** False in a forked child: it inherits this object, and its parent keeps the lock. */
    public function isOfThisProcess(): bool
    {
        return $this->process === Pid::own();
    }

    public function exists(): bool
    {
        return $this->version !== null;
    }

    /** @return bool false if there is nothing any more, or the store refused */
    public function touch(float $ttl): bool
    {
        return $this->version !== null && $this->store->touch($this->key, $ttl);
    }

    /** @throws SessionFailed|StoreFailed if the lock has ended or the store refused; nothing is written then */
    public function write(#[\SensitiveParameter] string $data, float $ttl): void
    {
        if (!$this->lease->renew($this->lockSeconds)) {
            throw $this->store->holder($this->key) === $this->token ? SessionFailed::refused() : SessionFailed::lockEnded();
        }
        $read = $this->version;
        $new = [random_bytes(self::VERSION_BYTES), $data];
        $isStored = $read !== null && $this->store->setIf($this->key, static fn(mixed $there): bool => \is_array($there) && ($there[0] ?? null) === $read, $new, $ttl);
        // Nothing is there if it is new, or has expired since it was read: only who has the lock deletes.
        if (!$isStored && !$this->store->add($this->key, $new, $ttl)) {
            throw SessionFailed::refused();
        }
        $this->version = $new[0];
    }

    /** @return bool false if the lock has ended: then it was not deleted, as another may be about to write it */
    public function delete(): bool
    {
        if (!$this->lease->renew($this->lockSeconds)) {
            return false;
        }
        if (!$this->store->delete($this->key)) {
            throw SessionFailed::notDestroyed();
        }
        $this->version = null;

        return true;
    }

    public function release(): void
    {
        $this->lease->release();
    }

    /** A hash: the keys of the store, and its errors, must not hold an id that would start the session. */
    private static function key(#[\SensitiveParameter] string $id): string
    {
        return 'session:' . hash('sha256', $id);
    }
}
