<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Exception\StoreUnavailable;
use Larder\Store\Capability\Adds;
use Larder\Store\Capability\Counts;
use Larder\Store\Capability\Lists;
use Larder\Store\Capability\Locks;
use Larder\Store\Capability\Replaces;
use Larder\Store\Capability\Swaps;
use Larder\Store\Capability\TellsExpiry;
use Larder\Store\Capability\Touches;

/**
 * System V shared memory, one block a key, by the extension shmop: shared by all processes of one user, also those of
 * the command line, until the machine restarts. The kernel lets a machine have 4,096 blocks (kernel.shmmni).
 *
 * A block's id is a hash of namespace and key. The full key stands in the block: of two keys with one id the last written
 * is kept, and the other is a miss. Readers and writers of a block hold its lock. Expired values give up their blocks when
 * no other is to be had.
 */
final class ShmopStore implements Store, Adds, Replaces, Counts, Touches, Swaps, Locks, Lists, TellsExpiry
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use KeepsBytes;
    use OneByOne;
    use PacksByCodec;

    /** The kernel's list of all blocks. */
    private const LIST = '/proc/sysvipc/shm';
    private const SECONDS_BETWEEN_SWEEPS = 1.0;

    private readonly StripedLock $lock;
    private readonly SharedBlock $block;
    private float $nextSweep = 0.0;

    /** @throws StoreUnavailable */
    public function __construct(private readonly string $namespace = 'larder', private readonly Codec $codec = new PhpCodec())
    {
        NamespaceName::check($namespace);
        StoreUnavailable::unlessLoaded('shmop', 'shmop', 'common');
        if (!is_readable(self::LIST)) {
            throw StoreUnavailable::because('shmop', self::LIST . ' cannot be read, which lists the blocks', 'It needs Linux with /proc mounted');
        }
        // Not in the temporary directory: a service may have one of its own, while blocks are the whole machine's.
        $this->lock = new StripedLock(UserFolder::find('shmop', '/dev/shm', 'larder-shmop'));
        $this->block = new SharedBlock($namespace);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $sealed = Envelope::seal($this->codec->encode($value, $key), Ttl::until($ttl), $key);
        if ($this->write($key, $sealed) || $this->writeAfterSweep($key, $sealed)) {
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

    public function clear(): bool
    {
        return $this->sweep(expiredOnly: false);
    }

    public function keys(): iterable
    {
        foreach ($this->idsOfThisUser() as $id) {
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
        return max(1, ((int) hexdec(hash('xxh32', User::id() . ':' . $this->namespace . ':' . $key))) & 0x7FFFFFFF);
    }

    private function bytes(string $key): ?string
    {
        Key::check($key);
        $id = $this->id($key);
        $sealed = $this->lock->around($id, fn(): ?string => Quietly::run(fn(): ?string => $this->block->read($id)));

        return $sealed === null ? null : Envelope::open($sealed, $key);
    }

    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);
        $id = $this->id($key);
        $isFull = false;
        $work = function () use ($id, $key, $change, &$isFull): bool {
            $sealed = (string) $this->block->read($id);
            $bytes = Envelope::open($sealed, $key);
            $until = Envelope::until($sealed);
            $new = $change($bytes === null ? null : new Entry($bytes, $until));
            if ($new === false || $new === null) {
                return $new === null && $this->block->remove($id);
            }
            $isFull = !$this->block->write($id, Envelope::seal($new->stored, $new->until ?? $until, $key));

            return !$isFull;
        };

        return ($this->lock->around($id, $work) ?? false) || ($isFull && $this->sweepNow() && $this->lock->around($id, $work) === true);
    }

    private function write(string $key, string $sealed): bool
    {
        $id = $this->id($key);

        return $this->lock->around($id, fn(): bool => Quietly::run(fn(): bool => $this->block->write($id, $sealed))) ?? false;
    }

    private function writeAfterSweep(string $key, string $sealed): bool
    {
        return $this->sweepNow() && $this->write($key, $sealed);
    }

    /** @return bool false when it was done a short while ago */
    private function sweepNow(): bool
    {
        $now = microtime(true);
        if ($now < $this->nextSweep) {
            return false;
        }
        $this->nextSweep = $now + self::SECONDS_BETWEEN_SWEEPS;
        $this->sweep(expiredOnly: true);

        return true;
    }

    private function sweep(bool $expiredOnly): bool
    {
        $all = true;
        foreach ($this->idsOfThisUser() as $id) {
            $done = $this->lock->around($id, function () use ($id, $expiredOnly): bool {
                $sealed = $this->block->read($id, evenUnfinished: true);

                return $sealed === null || ($expiredOnly && !Envelope::hasExpired($sealed)) || $this->block->remove($id);
            });
            $all = $done === true && $all;
        }

        return $all;
    }

    /** @return list<int> */
    private function idsOfThisUser(): array
    {
        $ids = [];
        $user = User::id();
        foreach (\array_slice((array) @file(self::LIST), 1) as $line) {
            $columns = preg_split('/\s+/', trim((string) $line));
            if ($columns !== false && (int) $columns[0] > 0 && (int) ($columns[7] ?? -1) === $user) {
                $ids[] = (int) $columns[0];
            }
        }

        return $ids;
    }
}
