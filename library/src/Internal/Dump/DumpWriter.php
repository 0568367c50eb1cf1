<?php

declare(strict_types=1);

namespace Larder\Internal\Dump;

use Larder\Exception\DumpFailed;
use Larder\Internal\Process\Warnings;

/** Writes a dump beside its place, and puts it there once it is whole: an old one stays if anything fails. */
final class DumpWriter
{
    private readonly string $temporary;
    /** @var resource */
    private readonly mixed $file;
    private readonly \HashContext $hash;
    private string $chunk = '';
    private int $entries = 0;

    /**
     * @param array<string, mixed> $header
     * @throws DumpFailed
     */
    public function __construct(private readonly string $path, array $header)
    {
        $this->temporary = \sprintf('%s.%s.tmp', $path, bin2hex(random_bytes(6)));
        $mask = umask(0o077);

        try {
            // "x" follows no link that another user has planted.
            $this->file = $this->try('created', fn(): mixed => fopen($this->temporary, 'x'));
        } finally {
            umask($mask);
        }
        $this->hash = hash_init(DumpFile::HASH);
        $json = json_encode($header, \JSON_THROW_ON_ERROR);
        $this->chunk = DumpFile::MAGIC . pack('V', \strlen($json)) . $json;
    }

    public function __destruct()
    {
        if (\is_resource($this->file)) { // it did not come to finish()
            fclose($this->file);
            unlink($this->temporary);
        }
    }

    /**
     * @param string $name of the entry in the segment
     * @param string $bytes the value if that is a string; else its bytes, by PhpCodec
     * @param float $until unix time at which it expires; 0.0 for never
     * @param float $stale seconds for which it is kept after that
     * @param float $cost seconds that it took to compute; 0.0 for not known
     * @throws DumpFailed
     */
    public function add(
        string $name,
        string $bytes,
        bool $isString,
        float $until,
        float $stale = 0.0,
        float $cost = 0.0,
    ): void {
        $head = \pack('VCPeee', \strlen($name), (int) $isString, \strlen($bytes), $until, $stale, $cost);
        ++$this->entries;
        if (\strlen($bytes) >= DumpFile::CHUNK) {
            $this->chunk .= $head . $name;
            $this->flush();
            $this->chunk = $bytes;
            $this->flush();
        } else {
            $this->chunk .= $head . $name . $bytes;
            if (\strlen($this->chunk) >= DumpFile::CHUNK) {
                $this->flush();
            }
        }
    }

    /**
     * @return int bytes of the file
     * @throws DumpFailed
     */
    public function finish(): int
    {
        $this->chunk .= pack('VP', 0, $this->entries);
        $this->flush();
        $this->chunk = hash_final($this->hash, true);
        $this->write();
        $this->try('written', fn(): bool => fflush($this->file) && fsync($this->file));
        $bytes = (int) ftell($this->file);
        fclose($this->file);

        try {
            $this->try('put in place', fn(): bool => rename($this->temporary, $this->path));
        } catch (DumpFailed $failed) {
            unlink($this->temporary);

            throw $failed;
        }

        return $bytes;
    }

    private function flush(): void
    {
        hash_update($this->hash, $this->chunk);
        $this->write();
    }

    private function write(): void
    {
        for ($at = 0; $at < \strlen($this->chunk); $at += $written) {
            $rest = $at === 0 ? $this->chunk : substr($this->chunk, $at);
            $written = $this->try('written', fn(): int|false => fwrite($this->file, $rest));
        }
        $this->chunk = '';
    }

    /**
     * @template T
     * @param \Closure(): (T|false) $work
     * @return T
     * @throws DumpFailed
     */
    private function try(string $what, \Closure $work): mixed
    {
        $warnings = [];
        $result = Warnings::collect($work, $warnings);
        if ($result === false) {
            $why = preg_replace('/^\w+\(.*?\): /', '', $warnings[0] ?? 'the disk may be full');

            throw new DumpFailed("$this->path cannot be $what: $why. Name another file, or make room");
        }

        return $result;
    }
}
