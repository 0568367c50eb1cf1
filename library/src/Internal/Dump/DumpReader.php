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

    /** @return \Generator<int, DumpedEntry> by the position of the next one in the file, in bytes */
    public function entries(): \Generator
    {
        while (true) {
            $length = $this->number('V', 4);
            if ($length === 0) {
                return;
            }
            /** @var array{value: int, until: float} $head */
            $head = unpack(DumpFile::HEAD, $this->read(DumpFile::HEAD_BYTES));
            $name = $this->read($length);
            $value = $this->read($head['value']);
            yield $this->position() => new DumpedEntry($name, $value, $head['until']);
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
        fseek($this->file, \strlen(DumpFile::MAGIC));
    }

    private function number(string $format, int $bytes): int
    {
        /** @var array{1: int} $number */
        $number = unpack($format, $this->read($bytes));

        return $number[1];
    }

    private function read(int $length): string
    {
        $missing = $this->at + $length - \strlen($this->chunk);
        if ($missing > 0) {
            if ($length < 0 || $length > $this->size) {
                throw $this->damaged();
            }
            $isLarge = $missing > DumpFile::CHUNK / 8;
            $more = stream_get_contents($this->file, $isLarge ? $missing : DumpFile::CHUNK);
            $bytes = substr($this->chunk, $this->at) . $more;
            if (\strlen($bytes) < $length) {
                throw $this->damaged();
            }
            $this->at = 0;
            $this->chunk = $isLarge ? '' : $bytes;
            if ($isLarge) {
                return $bytes; // not copied again
            }
        }
        $this->at += $length;

        return substr($this->chunk, $this->at - $length, $length);
    }

    private function position(): int
    {
        return (int) ftell($this->file) - \strlen($this->chunk) + $this->at;
    }

    private function damaged(): DumpFailed
    {
        return new DumpFailed("$this->path is damaged or not whole, so nothing of it is loaded. Dump again");
    }
}
