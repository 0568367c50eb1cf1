<?php

declare(strict_types=1);

namespace Larder\Internal\Dump;

use Larder\Exception\DumpFailed;
use Larder\Exception\StoreUnavailable;
use Larder\Internal\Filesystem\TrustedPath;
use Larder\Internal\Process\Warnings;

/**
 * Reads a dump that nobody else can change: loading unserializes, so who can write the file could run code. The whole file
 * is verified before its first entry is returned.
 */
final class DumpReader
{
    /** @var resource */
    private readonly mixed $file;
    /** Bytes of the file. */
    public readonly int $size;
    /** Unix time at which it was begun. */
    public readonly float $time;
    private string $chunk = '';
    private int $at = 0;
    /** Bytes of the file before the chunk. */
    private int $read = 0;

    /** @throws DumpFailed */
    public function __construct(private readonly string $path)
    {
        $this->file = $this->open();
        $this->size = fstat($this->file)['size'] ?? 0;
        $this->verify();
        $header = json_decode($this->read($this->number('V', 4)), true);
        $time = \is_array($header) ? $header['time'] ?? null : null;
        $this->time = \is_int($time) || \is_float($time) ? (float) $time : throw $this->damaged();
    }

    /**
     * A dump may have millions. So an entry is the array of unpack() rather than an object, and one that is in the chunk
     * is cut out of it here.
     *
     * @return \Generator<int, array{
     *     name: string,
     *     string: int,
     *     value: string,
     *     until: float,
     *     stale: float,
     *     cost: float,
     * }> as in DumpFile, by the position of the next one in the file, in bytes
     */
    public function entries(): \Generator
    {
        while (true) {
            if (\strlen($this->chunk) - $this->at < DumpFile::HEAD_BYTES && !$this->fill(DumpFile::HEAD_BYTES)) {
                return; // what is left is shorter: no entry
            }
            /** @var array{name: int, string: int, value: int, until: float, stale: float, cost: float} $entry */
            $entry = \unpack(DumpFile::HEAD, $this->chunk, $this->at);
            ['name' => $length, 'value' => $bytes] = $entry;
            if ($length === 0) {
                return;
            }
            $at = $this->at += DumpFile::HEAD_BYTES;
            if ($length + $bytes <= \strlen($this->chunk) - $at) {
                $entry['name'] = \substr($this->chunk, $at, $length);
                $entry['value'] = \substr($this->chunk, $at + $length, $bytes);
                $this->at += $length + $bytes;
            } else {
                $entry['name'] = $this->read($length);
                $entry['value'] = $this->read($bytes);
            }
            yield $this->read + $this->at => $entry;
        }
    }

    /** @return resource */
    private function open(): mixed
    {
        try {
            $path = TrustedPath::check('dump', $this->path, $mode);
        } catch (StoreUnavailable $refused) {
            throw new DumpFailed("$this->path is not loaded: $refused->what. $refused->how", 0, $refused);
        }
        if ($mode === null || ($mode & 0o170000) !== 0o100000) {
            throw new DumpFailed("$this->path is no file. Name one that `larder dump` has written");
        }
        $file = Warnings::suppress(static fn(): mixed => fopen($path, 'r'));

        return $file !== false ? $file
            : throw new DumpFailed("$this->path cannot be read by this user. Load it as the user who wrote it");
    }

    /** Leaves the file behind its first bytes. */
    private function verify(): void
    {
        if (fread($this->file, \strlen(DumpFile::MAGIC)) !== DumpFile::MAGIC) {
            throw new DumpFailed("$this->path is no dump of this version. Dump again with `larder dump`");
        }
        rewind($this->file);
        $hash = hash_init(DumpFile::HASH);
        $length = max(0, $this->size - DumpFile::HASH_BYTES);
        $hashed = hash_update_stream($hash, $this->file, $length);
        if ($hashed !== $length || hash_final($hash, true) !== fread($this->file, DumpFile::HASH_BYTES)) {
            throw $this->damaged();
        }
        stream_set_read_buffer($this->file, 0); // or PHP reads in pieces of 8 KiB
        fseek($this->file, \strlen(DumpFile::MAGIC));
        $this->read = \strlen(DumpFile::MAGIC);
    }

    private function number(string $format, int $bytes): int
    {
        /** @var array{1: int} $number */
        $number = unpack($format, $this->read($bytes));

        return $number[1];
    }

    private function read(int $length): string
    {
        if ($length > \strlen($this->chunk) - $this->at) {
            if ($length > $this->size) {
                throw $this->damaged();
            }
            if ($length >= DumpFile::CHUNK) { // read once more as a whole, which is less than to put parts together
                $start = $this->read + $this->at;
                fseek($this->file, $start);
                [$this->read, $this->chunk, $this->at] = [$start + $length, '', 0];
                $bytes = $this->take($length);

                return \strlen($bytes) === $length ? $bytes : throw $this->damaged();
            }
            $this->fill($length) || throw $this->damaged();
        }
        $this->at += $length;

        return substr($this->chunk, $this->at - $length, $length);
    }

    /** Reads a chunk more. False if it has fewer bytes then. */
    private function fill(int $bytes): bool
    {
        $this->read += $this->at;
        $this->chunk = substr($this->chunk, $this->at) . $this->take(DumpFile::CHUNK);
        $this->at = 0;

        return \strlen($this->chunk) >= $bytes;
    }

    private function take(int $bytes): string
    {
        return (string) fread($this->file, max(1, $bytes));
    }

    private function damaged(): DumpFailed
    {
        return new DumpFailed("$this->path is damaged or not whole, so nothing of it is loaded. Dump again");
    }
}
