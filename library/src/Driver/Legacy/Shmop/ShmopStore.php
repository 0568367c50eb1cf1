<?php

declare(strict_types=1);

namespace Larder\Driver\Legacy\Shmop;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\HasWaitBudget;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\Envelope;
use Larder\Driver\Common\KeepsBytes;
use Larder\Driver\Common\OneByOne;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreUnavailable;
use Larder\Filesystem\UserFolder;
use Larder\Filesystem\UserSecret;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use Larder\Lock\StripedLock;

/**
 * System V shared memory, one block a key, by the extension shmop: shared by all processes of one user, also those of
 * the command line, until the machine restarts. The kernel lets a machine have 4,096 blocks (kernel.shmmni).
 *
 * A block's id is a hash of a secret of this user, the namespace and the key. The block contains the full key: if two keys
 * have the same id, the last one written stays, and the other is a miss. Readers and writers of a block hold its lock. When
 * the kernel provides no more blocks, expired entries are removed, or else the least recently used ones, of all namespaces.
 */
final class ShmopStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, HasWaitBudget, EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use KeepsBytes;
    use OneByOne;
    use PacksByCodec;

    /** Others may take the memory that was freed. */
    private const TRIES_TO_WRITE = 8;

    private readonly StripedLock $lock;
    private readonly SharedBlock $block;
    private readonly ShmopBlocks $blocks;
    /** So that nobody else makes blocks where this user's are to be. */
    private readonly string $seed;

    /** @throws StoreUnavailable */
    public function __construct(string $namespace = 'larder', private readonly Codec $codec = new PhpCodec())
    {
        NamespaceName::check($namespace);
        StoreUnavailable::unlessLoaded('shmop', 'shmop', 'common');
        if (!is_readable(ShmopBlocks::LIST)) {
            throw StoreUnavailable::because('shmop', ShmopBlocks::LIST . ' cannot be read, which lists the blocks', 'It needs Linux with /proc mounted');
        }
        // Not in the temporary directory: a service may have one of its own, while blocks are the whole machine's.
        $directory = UserFolder::find('shmop', '/dev/shm', 'larder-shmop');
        $secret = UserSecret::in('shmop', $directory);
        $this->seed = hash_hmac('sha256', 'i' . $namespace, $secret, true);
        $this->lock = new StripedLock($directory);
        $this->block = new SharedBlock($namespace, $secret);
        $this->blocks = new ShmopBlocks($this->lock, $this->block);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $sealed = Envelope::seal($this->codec->encode($value, $key), Ttl::until($ttl), $key);
        if ($this->write($key, $sealed)) {
            return true;
        }
        $this->delete($key);

        return false;
    }

    public function delete(string $key): bool
    {
        Key::check($key);
        $id = $this->id($key);

        return $this->lock->around($id, function () use ($id, $key): bool {
            $sealed = $this->block->read($id);

            return $sealed === null || Envelope::open($sealed, $key) === null || $this->block->remove($id);
        }) ?? false;
    }

    public function withinOneWaitBudget(\Closure $calls): mixed
    {
        return $this->lock->waitBudget->of($calls);
    }

    public function evicts(): bool
    {
        return true;
    }

    public function clear(): bool
    {
        return $this->blocks->clear();
    }

    public function keys(): iterable
    {
        foreach (array_keys(ShmopBlocks::blocks()) as $id) {
            $sealed = $this->lock->around($id, fn(): ?string => $this->block->read($id));
            $key = $sealed === null ? null : Envelope::key($sealed);
            if ($key !== null && $key !== '') {
                yield $key;
            }
        }
    }

    /** @return int the block's key, 1 to 2^31 - 1, as ipcs -m shows it in hexadecimal */
    public function id(string $key): int
    {
        return max(1, ((int) hexdec(hash('xxh32', $this->seed . $key))) & 0x7FFFFFFF);
    }

    private function bytes(string $key): ?string
    {
        Key::check($key);
        $id = $this->id($key);
        $sealed = $this->lock->around($id, fn(): ?string => $this->block->read($id));

        return $sealed === null ? null : Envelope::open($sealed, $key);
    }

    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);
        $id = $this->id($key);
        $work = function () use ($id, $key, $change): bool|string {
            $sealed = (string) $this->block->read($id);
            $bytes = Envelope::open($sealed, $key);
            $until = Envelope::until($sealed);
            $new = $change($bytes === null ? null : new Entry($bytes, $until));
            if ($new === false || $new === null) {
                return $new === null && $this->block->remove($id);
            }
            $sealed = Envelope::seal($new->stored, $new->until ?? $until, $key);

            return $this->block->write($id, $sealed) ?? $sealed;
        };

        return $this->withEviction($id, $work);
    }

    private function write(string $key, string $sealed): bool
    {
        $id = $this->id($key);

        return $this->withEviction($id, fn(): bool|string => $this->block->write($id, $sealed) ?? $sealed);
    }

    /** @param \Closure(): (bool|string) $work gives the envelope for which the kernel has no block */
    private function withEviction(int $id, \Closure $work): bool
    {
        for ($try = 0; $try < self::TRIES_TO_WRITE; ++$try) {
            $result = $this->lock->around($id, $work) ?? false;
            if (\is_bool($result)) {
                return $result;
            }
            if (!$this->blocks->make(SharedBlock::size($result))) {
                return false;
            }
        }

        return false;
    }
}
