<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\File;

use Larder\Codec\Codec;
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
use Larder\Driver\Common\LoopedBatch;
use Larder\Driver\Common\PacksByCodec;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Codec\PhpCodec;
use Larder\Internal\Driver\Common\Envelope;
use Larder\Internal\Driver\Common\StoresBytes;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;

/**
 * Files: shared by all processes of one user, kept over restarts. On a tmpfs such as /dev/shm they stay in memory. A
 * file contains the full key, so that two keys with the same hash never meet. Collector removes files.
 */
final class FileStore implements
    Store,
    AtomicStore,
    LockingStore,
    ListableStore,
    ExpiryAwareStore,
    PrunableStore,
    HasWaitBudget,
    EvictingStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use ChangesFiles<string> */
    use ChangesFiles;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use StoresBytes;
    use LoopedBatch;
    use PacksByCodec;

    /**
     * @param int $maxBytes of all files, about; 0 for no limit
     * @param string $scheme in messages
     * @throws StoreUnavailable
     */
    public function __construct(
        string $directory,
        string $namespace = 'larder',
        private readonly Codec $codec = new PhpCodec(),
        private readonly int $maxBytes = 0,
        string $scheme = 'file',
    ) {
        $this->directory = new Directory($scheme, $directory, $namespace, 'cache');
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        $file = $this->directory->file($key);
        $until = Ttl::until($ttl);
        $sealed = Envelope::seal($this->codec->encode($value, $key), $until, $key);
        $isWritten = $this->directory->replace($file, fn(): bool => $this->directory->write($file, $sealed));
        $this->collector()->wrote($file, \strlen($sealed), $until > 0.0);

        return $isWritten;
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

    private static function isOver(string $head): bool
    {
        return Envelope::isOver($head);
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
        $sealed = $this->directory->read($this->directory->file($key));

        return $sealed === null ? null : Envelope::open($sealed, $key);
    }
}
