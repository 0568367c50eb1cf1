<?php

declare(strict_types=1);

namespace Larder\Session;

use Larder\CacheInterface;
use Larder\Contract\AtomicStore;
use Larder\Contract\Capability;
use Larder\Contract\Decorator;
use Larder\Contract\EvictingStore;
use Larder\Contract\LockingStore;
use Larder\Contract\StaleReads;
use Larder\Contract\Store;
use Larder\Exception\InvalidTtl;
use Larder\Exception\NotSupported;
use Larder\Exception\SessionFailed;
use Larder\Exception\StoreFailed;
use Larder\Internal\Session\LockedSession;
use Larder\Lock\Lock;

/**
 * PHP's sessions in a store of Larder:
 *
 *     session_set_save_handler(new Handler(Cache::open('file:///var/lib/shop/sessions')), true);
 *
 * A session is locked from session_start() until it is closed, so requests of one session run one after the other and
 * none overwrites another's data. A request that does not get the lock fails at session_start(), and one that lost its
 * lock does not write: both with SessionFailed. A forked child leaves its parent's session alone. There is no garbage
 * collection: a session expires session.gc_maxlifetime seconds after it was last closed without "read_and_close".
 */
final class Handler implements \SessionHandlerInterface, \SessionIdInterface, \SessionUpdateTimestampHandlerInterface
{
    /** Seconds, by default. */
    public const WAIT = 10;
    public const LOCK_SECONDS = 30;

    private const ID = '/^[A-Za-z0-9,-]{1,256}$/D';

    private readonly Store&AtomicStore&LockingStore $store;
    private ?LockedSession $session = null;
    /** Failure of validateId(), for read() to throw. */
    private SessionFailed|StoreFailed|null $failure = null;

    /**
     * @param CacheInterface $cache with a namespace of its own, and on_failure=throw for a server: its keys are
     *         "session:<hash>"
     * @param int|float $wait seconds that a request waits for another one of the same session
     * @param int|float $lockSeconds after which the lock ends if the store cannot see whether its process lives, as on
     *         a server. A request that has the session open for longer fails there when it writes
     * @param bool $allowEviction true to accept a store that may drop sessions before they expire
     * @throws NotSupported for a store without locks or atomic changes, one that evicts, or one whose reads may be
     *         stale: a tier, replicas
     */
    public function __construct(
        CacheInterface $cache,
        private readonly int|float $wait = self::WAIT,
        private readonly int|float $lockSeconds = self::LOCK_SECONDS,
        bool $allowEviction = false,
    ) {
        if ($wait < 0 || is_nan($wait) || !($lockSeconds > 0 && $lockSeconds <= Lock::LONGEST)) {
            $longest = Lock::LONGEST;
            throw new InvalidTtl("\"wait\" is 0 or more seconds, \"lockSeconds\" more than 0 and at most $longest");
        }
        $this->store = Capability::of(Capability::of($cache->store(), AtomicStore::class), LockingStore::class);
        self::check($this->store, $allowEviction);
    }

    /** A clone has no session open. */
    public function __clone()
    {
        $this->session = null;
    }

    /** Ignores both: PHP's settings for path and name do not concern the store. */
    public function open(string $path, string $name): bool
    {
        $this->failure = null;

        return true;
    }

    /**
     * Locks the session, and waits for that.
     *
     * @return string '' for a new session
     * @throws SessionFailed|StoreFailed if it is not locked or the store is unreachable; the session is not started
     *         then
     */
    public function read(#[\SensitiveParameter] string $id): string
    {
        if ($this->failure !== null) {
            [$failure, $this->failure] = [$this->failure, null];
            throw $failure;
        }

        return $this->locked($id)->data();
    }

    /** @throws SessionFailed|StoreFailed if the lock has ended or the store refused; nothing is written then */
    public function write(#[\SensitiveParameter] string $id, #[\SensitiveParameter] string $data): bool
    {
        if ($this->isParents()) {
            return true; // every child that ends calls this, and its parent has the session
        }
        $session = $this->locked($id);

        try {
            $session->write($data, self::ttl());
        } catch (\Throwable $failure) {
            $this->close(); // PHP does not call it after an exception
            throw $failure;
        }

        return true;
    }

    /** PHP calls it in place of write() if nothing has changed: sets only the expiry. */
    public function updateTimestamp(#[\SensitiveParameter] string $id, #[\SensitiveParameter] string $data): bool
    {
        return $this->isParents() || $this->locked($id)->touch(self::ttl()) || $this->write($id, $data);
    }

    /**
     * Deletes a session under its lock, also one that this request has not started.
     *
     * @return bool false in a forked child whose parent has it open
     */
    public function destroy(#[\SensitiveParameter] string $id): bool
    {
        if ($this->isParents()) {
            return false;
        }
        if ($this->hasAnotherOpen($id)) {
            $other = clone $this;

            try {
                return $other->destroy($id);
            } finally {
                $other->close();
            }
        }
        try {
            if (!$this->locked($id)->delete()) {
                $this->close();

                return $this->locked($id)->delete();
            }
        } catch (\Throwable $failure) {
            $this->close();
            throw $failure;
        }

        return true;
    }

    public function close(): bool
    {
        $this->session?->release();
        $this->session = null;

        return true;
    }

    /** @return int 0: sessions expire by themselves */
    public function gc(int $max_lifetime): int
    {
        return 0;
    }

    /**
     * @param string $byPhp never passed: hosts disable this function
     * @return string a random id, made by PHP according to session.sid_length and session.sid_bits_per_character
     */
    public function create_sid(string $byPhp = 'session_create_id'): string
    {
        return \function_exists($byPhp) ? (string) session_create_id() : bin2hex(random_bytes(16));
    }

    /**
     * True if there is such a session, for session.use_strict_mode. It is then locked, for the read() that follows; but
     * not if another one is open: session_create_id() checks its new id then, and no read() follows.
     *
     * @return bool true also if that is not known, and then read() throws: after false, PHP would replace the visitor's
     *         cookie
     */
    public function validateId(#[\SensitiveParameter] string $id): bool
    {
        if (preg_match(self::ID, $id) !== 1) {
            return false;
        }

        if ($this->hasAnotherOpen($id)) {
            return LockedSession::isStored($this->store, $id);
        }

        try {
            return $this->locked($id)->exists();
        } catch (SessionFailed|StoreFailed $failure) {
            $this->failure = $failure;

            return true;
        }
    }

    /** True if the process that this one was forked from opened the session. */
    private function isParents(): bool
    {
        return $this->session?->isOfThisProcess() === false;
    }

    /** True if another session is open, which must keep its lock: its data was read under that. */
    private function hasAnotherOpen(#[\SensitiveParameter] string $id): bool
    {
        return $this->session !== null && $this->session->id !== $id;
    }

    private function locked(#[\SensitiveParameter] string $id): LockedSession
    {
        if ($this->session?->id === $id && $this->session->isOfThisProcess()) {
            return $this->session;
        }
        $this->close();
        if (preg_match(self::ID, $id) !== 1) {
            throw SessionFailed::invalidId();
        }

        return $this->session = LockedSession::lock($this->store, $id, (float) $this->lockSeconds, (float) $this->wait);
    }

    private static function ttl(): float
    {
        return max(1.0, (float) ini_get('session.gc_maxlifetime'));
    }

    /** @throws NotSupported */
    private static function check(Store $store, bool $allowEviction): void
    {
        $inner = $store;
        do {
            if ($inner instanceof StaleReads && $inner->hasStaleReads()) {
                throw new NotSupported('Sessions cannot be in a cache that returns old values for a while: '
                    . 'instead of a tier use its shared store, and take read=replica out of the DSN');
            }
            $isInnermost = !$inner instanceof Decorator;
            $inner = $inner instanceof Decorator ? $inner->decorated() : $inner;
        } while (!$isInnermost);
        if (!$allowEviction && $inner instanceof EvictingStore && $inner->evicts()) {
            throw new NotSupported(Capability::nameOf($inner) . ' drops values when it is full, and a visitor whose '
                . 'session is dropped is logged out. Use a store that refuses instead, or set allowEviction');
        }
    }
}
