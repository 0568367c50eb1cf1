<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Exception\StoreUnavailable;

/**
 * Files: shared by all processes of one user, kept over restarts. On a tmpfs such as /dev/shm they stay in memory.
 *
 * The full key stands in the file, so that two keys with the same hash never meet. What has expired keeps its file until
 * it is written over, deleted or cleared.
 */
final class FileStore implements Store
{
    use KeepsBytes;
    use OneByOne;

    private readonly Directory $directory;

    /** @throws StoreUnavailable */
    public function __construct(string $directory, string $namespace = 'larder', private readonly Codec $codec = new PhpCodec())
    {
        $this->directory = new Directory('file', $directory, $namespace, 'cache');
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $sealed = Envelope::seal($this->codec->encode($value), Ttl::until($ttl), $key);
        $file = $this->directory->file($key);
        if ($this->directory->write($file, $sealed)) {
            return true;
        }
        $this->directory->remove($file);

        return false;
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        return $this->directory->remove($this->directory->file($key));
    }

    public function clear(): bool
    {
        return $this->directory->clear();
    }

    private function bytes(string $key): ?string
    {
        Key::check($key);
        $sealed = @file_get_contents($this->directory->file($key));

        return $sealed === false ? null : Envelope::open($sealed, $key);
    }
}
