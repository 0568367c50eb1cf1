<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Legacy\Shmop;

use Larder\Codec\Codec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\HasWaitBudget;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\LoopedBatch;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Common\Envelope;
use Larder\Internal\Driver\Common\StoresBytes;
use Larder\Internal\Filesystem\UserFolder;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Lock\StripedLock;
use Larder\Internal\Process\Warnings;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * System V shared memory, one block a key, by the extension shmop: shared by all processes of one user, also those of
 * the command line, until the machine restarts. The kernel lets a machine have 4,096 blocks (kernel.shmmni).
 *
 * A block's id is a hash of a secret of this user, the namespace and the key. The block contains the full key: if two
 * keys have the same id, the last one written stays, and the other is a miss. Readers and writers of a block hold its
 * lock. When the kernel provides no more blocks, expired entries are removed, or else the least recently used ones, of
 * all namespaces.
 */
final class ShmopStore implements
    Store,
    AtomicStore,
    LockingStore,
    ListableStore,
    ExpiryAwareStore,
    HasWaitBudget,
    EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use StoresBytes;
    use LoopedBatch;
    use PacksByCodec;

    /** Another process may take the memory that was freed. */
    private const TRIES_TO_WRITE = 8;
    private const SECRET_LENGTH = 32;

    private readonly StripedLock $lock;
    private readonly SharedBlock $block;
    private readonly ShmopBlocks $blocks;
    /** Makes the ids unpredictable: another user cannot create these blocks first. */
    private readonly string $seed;

    public function __construct(string $namespace = 'larder', private readonly Codec $codec = new PhpCodec())
    {
        NamespaceName::check($namespace);
        StoreUnavailable::unlessLoaded('shmop', 'shmop', 'common');
        if (!Warnings::suppress(static fn(): bool => is_readable(ShmopBlocks::LIST))) {
            $what = ShmopBlocks::LIST . ' cannot be read, which lists the blocks';
            $how = 'It needs Linux with /proc mounted, and that file within open_basedir';

            throw StoreUnavailable::because('shmop', $what, $how);
        }
        // Not in the temporary directory: a service may have a private one, while blocks are the whole machine's.
        $directory = UserFolder::find('shmop', '/dev/shm', 'larder-shmop');
        $secret = self::secret($directory);
        $this->seed = hash_hmac('sha256', 'i' . $namespace, $secret, true);
        $this->lock = new StripedLock($directory);
        $this->block = new SharedBlock($namespace, $secret);
        $this->blocks = new ShmopBlocks($this->lock, $this->block);
    }

    /** Random bytes that only the processes of this user know. The first one links its complete file to the name. */
    private static function secret(string $directory): string
    {
        $file = $directory . '/secret';
        $secret = Warnings::suppress(static function () use ($file): string|false {
            $secret = file_get_contents($file);
            $new = $file . '.' . bin2hex(random_bytes(8));
            $handle = $secret === false ? fopen($new, 'x') : false;
            if ($handle === false) {
                return $secret;
            }
            chmod($new, 0o600);
            $written = fwrite($handle, random_bytes(self::SECRET_LENGTH));
            if (fclose($handle) && $written === self::SECRET_LENGTH) {
                link($new, $file);
            }
            unlink($new);

            return file_get_contents($file);
        });

        return \is_string($secret) && \strlen($secret) === self::SECRET_LENGTH
            ? $secret
            : throw StoreUnavailable::because(
                'shmop',
                "$file cannot be read or written",
                "Remove it, and free space in $directory",
            );
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $sealed = Envelope::seal($this->codec->encode($value, $key), Ttl::until($ttl), $key);
        $id = $this->id($key);
        if ($this->withEviction($id, fn(): bool|string => $this->block->write($id, $sealed) ?? $sealed)) {
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

    /** @param \Closure(): (bool|string) $work returns the envelope for which the kernel has no block */
    private function withEviction(int $id, \Closure $work): bool
    {
        for ($try = 0; $try < self::TRIES_TO_WRITE; ++$try) {
            $result = $this->lock->around($id, $work) ?? false;
            if (\is_bool($result)) {
                return $result;
            }
            if (!$this->blocks->evict(SharedBlock::size($result))) {
                return false;
            }
        }

        return false;
    }
}
