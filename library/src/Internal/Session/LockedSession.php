<?php

declare(strict_types=1);

namespace Larder\Internal\Session;

use Larder\Contract\AtomicStore;
use Larder\Contract\LockingStore;
use Larder\Contract\LockLifetime;
use Larder\Contract\Store;
use Larder\Exception\SessionFailed;
use Larder\Exception\StoreFailed;
use Larder\Lock\Lock;
use Larder\Process\Pid;

/**
 * One session while this process has its lock.
 *
 * The lock alone would not prevent a lost update: a process that is stopped may go on after its lock has ended. So each
 * write also gives the stored session a new version, and replaces only the version that was read.
 */
final class LockedSession
{
    private const VERSION_BYTES = 8;

    /** Bytes kept for the end of the session: a request that has used up all memory would else keep its lock. */
    private const RESERVE = 131_072;

    private readonly int $process;
    private readonly string $key;
    private string $data = '';
    private bool $isLocked = true;
    private ?string $version = null;
    private string $reserve; // @phpstan-ignore property.onlyWritten (its memory counts, not its value)

    private function __construct(
        private readonly Store&AtomicStore&LockingStore $store,
        #[\SensitiveParameter]
        public readonly string $id,
        private readonly Lock $lock,
        private readonly float $lockSeconds,
    ) {
        $this->process = Pid::own();
        $this->key = self::key($id);
        $this->reserve = str_repeat("\0", self::RESERVE);
    }

    public function __destruct()
    {
        $this->release();
    }

    /**
     * @throws SessionFailed if it could not be locked in time, or the store is unreachable
     * @throws StoreFailed over a store that throws
     */
    public static function lock(
        Store&AtomicStore&LockingStore $store,
        #[\SensitiveParameter]
        string $id,
        float $lockSeconds,
        float $wait,
    ): self {
        $key = self::key($id);
        $lock = Lock::take($store, $key, $lockSeconds, $wait, LockLifetime::Process)
            ?? throw ($store->holder($key) === null ? SessionFailed::unreachable() : SessionFailed::locked($wait));

        $session = new self($store, $id, $lock, $lockSeconds); // releases it if an exception follows
        $stored = $store->get($key);
        [$version, $data] = \is_array($stored) ? $stored + [null, null] : [null, null];
        $isStored = \is_string($version) && \is_string($data);
        // A store that has since become unreachable gives a miss too, which is no empty session.
        if (!$isStored && $store->holder($key) !== $lock->token) {
            throw SessionFailed::unreachable();
        }
        if ($isStored) {
            [$session->version, $session->data] = [$version, $data];
        }

        return $session;
    }

    /** True if there is such a session, locked or not. */
    public static function isStored(Store $store, #[\SensitiveParameter] string $id): bool
    {
        return $store->get(self::key($id)) !== null;
    }

    /** False in a forked child: it inherits this object, and its parent keeps the lock. */
    public function isOfThisProcess(): bool
    {
        return $this->process === Pid::own();
    }

    /** Empty for a new session. */
    public function data(): string
    {
        return $this->data;
    }

    public function exists(): bool
    {
        return $this->version !== null;
    }

    /** @return bool false if there is nothing any more, or the store refused */
    public function touch(float $ttl): bool
    {
        $this->reserve = '';

        return $this->version !== null && $this->store->touch($this->key, $ttl);
    }

    /** @throws SessionFailed if the lock has ended or the store refused; nothing is written then */
    public function write(#[\SensitiveParameter] string $data, float $ttl): void
    {
        $this->reserve = '';
        if (!$this->isLocked || !$this->lock->renew($this->lockSeconds)) {
            $isHeld = $this->store->holder($this->key) === $this->lock->token;

            throw $isHeld ? SessionFailed::refused() : SessionFailed::lockEnded();
        }
        $read = $this->version;
        $new = [random_bytes(self::VERSION_BYTES), $data];
        $isRead = static fn(mixed $there): bool => \is_array($there) && ($there[0] ?? null) === $read;
        $isStored = $read !== null && $this->store->setIf($this->key, $isRead, $new, $ttl);
        // A new session is not there, nor one that expired since: only the lock's holder deletes.
        if (!$isStored && !$this->store->add($this->key, $new, $ttl)) {
            throw SessionFailed::refused();
        }
        $this->version = $new[0];
    }

    /** @return bool false if the lock has ended: then it was not deleted, as another may be about to write it */
    public function delete(): bool
    {
        if (!$this->isLocked || !$this->lock->renew($this->lockSeconds)) {
            return false;
        }
        if (!$this->store->delete($this->key)) {
            throw SessionFailed::notDestroyed();
        }
        $this->version = null;

        return true;
    }

    /** Never by a fork of the process that took the lock. */
    public function release(): void
    {
        $this->reserve = '';
        if (!$this->isLocked || !$this->isOfThisProcess()) {
            return;
        }
        $this->isLocked = false;

        try {
            $this->lock->release();
        } catch (StoreFailed) {
            // The server is unreachable: the lock ends by its ttl.
        }
    }

    /** A hash: the keys of the store, and its errors, must not have an id that would start the session. */
    private static function key(#[\SensitiveParameter] string $id): string
    {
        return 'session:' . hash('sha256', $id);
    }
}
