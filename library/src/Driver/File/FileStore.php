<?php

declare(strict_types=1);

namespace Larder\Driver\File;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\EvictingStore;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\HasWaitBudget;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\Envelope;
use Larder\Driver\Common\KeepsBytes;
use Larder\Driver\Common\OneByOne;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreUnavailable;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * Files: shared by all processes of one user, kept over restarts. On a tmpfs such as /dev/shm they stay in memory.
 *
 * The full key stands in the file, so that two keys with the same hash never meet. Collector
 * removes what has expired, and what is too much.
 */
final class FileStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, PrunableStore, HasWaitBudget, EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use ChangesFiles<string> */
    use ChangesFiles;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use KeepsBytes;
    use OneByOne;
    use PacksByCodec;

    /**
     * @param int $maxBytes of all files, about; 0 for no limit
     * @throws StoreUnavailable
     */
    public function __construct(string $directory, string $namespace = 'larder', private readonly Codec $codec = new PhpCodec(), private readonly int $maxBytes = 0)
    {
        $this->directory = new Directory('file', $directory, $namespace, 'cache');
        $this->collector = new Collector($this->directory->folders, Envelope::isOver(...), $maxBytes);
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $until = Ttl::until($ttl);
        $sealed = Envelope::seal($this->codec->encode($value, $key), $until, $key);
        $file = $this->directory->file($key);
        $isWritten = $this->directory->replace($file, fn(): bool => $this->directory->write($file, $sealed));
        $this->collector->wrote($file, \strlen($sealed), $until > 0.0);

        return $isWritten;
    }

    public function evicts(): bool
    {
        return $this->maxBytes > 0;
    }

    public function clear(): bool
    {
        return $this->directory->clear();
    }

    public function prune(): int
    {
        return $this->collector->prune();
    }

    public function keys(): iterable
    {
        foreach ($this->directory->values() as $file) {
            $key = Envelope::key((string) $this->directory->read($file));
            if ($key !== null && $key !== '') {
                yield $key;
            }
        }
    }

    private function write(string $file, string $key, mixed $stored, float $until): int
    {
        $sealed = Envelope::seal($stored, $until, $key);

        return $this->directory->write($file, $sealed) ? \strlen($sealed) : 0;
    }

    /** @return Entry<string>|null */
    private function found(string $key): ?Entry
    {
        $sealed = (string) $this->directory->read($this->directory->file($key));
        $bytes = Envelope::open($sealed, $key);

        return $bytes === null ? null : new Entry($bytes, Envelope::until($sealed));
    }

    private function bytes(string $key): ?string
    {
        Key::check($key);
        $sealed = $this->directory->read($this->directory->file($key));

        return $sealed === null ? null : Envelope::open($sealed, $key);
    }
}
