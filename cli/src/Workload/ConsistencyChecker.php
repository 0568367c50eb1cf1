<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Contract\Store;

/**
 * Reads and writes keys that other processes write too, and counts results that are always wrong. A value contains its
 * key, its writer and the writer's sequence number. Its length varies, and it ends with a checksum of all bytes before.
 */
final class ConsistencyChecker
{
    public const KEYS = 32;
    private const MOST_BYTES = 4_000;
    private const CHECKSUM = 'xxh3';
    private const CHECKSUM_DIGITS = 16;

    public int $operations = 0;

    /** Misses. Every key was stored, none is deleted, and all fit. */
    public int $lost = 0;

    /** Values whose checksum is wrong. */
    public int $torn = 0;

    /** Complete values of another key. */
    public int $wrong = 0;

    /** Values older than a value of the same writer that this process has already read or written. */
    public int $old = 0;

    /** Sets that returned false. */
    public int $refused = 0;

    /** @var array<string, array<int, int>> the latest number of each writer, by key */
    private array $latest = [];

    private int $written = 0;

    public function __construct(private readonly Store $store, private readonly int $writer) {}

    public function fill(): void
    {
        for ($i = 0; $i < self::KEYS; ++$i) {
            $this->write(self::key($i));
        }
    }

    /** Does as many gets as sets until that time (hrtime). */
    public function run(int $until): void
    {
        mt_srand($this->writer);
        while (\hrtime(true) < $until) {
            $choice = mt_rand();
            $key = self::key($choice % self::KEYS);
            if (($choice & 1 << 20) === 0) {
                $this->read($key);
            } else {
                $this->write($key);
            }
            ++$this->operations;
        }
    }

    private function write(string $key): void
    {
        ++$this->written;
        $text = \sprintf('%s|%d|%d|', $key, $this->writer, $this->written);
        $value = str_pad($text, mt_rand(\strlen($text), self::MOST_BYTES), $text) . '|';
        if ($this->store->set($key, $value . hash(self::CHECKSUM, $value))) {
            $this->latest[$key][$this->writer] = $this->written;
        } else {
            ++$this->refused;
        }
    }

    private function read(string $key): void
    {
        $value = $this->store->get($key);
        if ($value === null) {
            ++$this->lost;

            return;
        }
        if (
            !\is_string($value)
            || hash(self::CHECKSUM, substr($value, 0, -self::CHECKSUM_DIGITS))
                !== substr($value, -self::CHECKSUM_DIGITS)
        ) {
            ++$this->torn;

            return;
        }
        [$name, $writer, $number] = explode('|', $value, 4);
        if ($name !== $key) {
            ++$this->wrong;
        } elseif ((int) $number < ($this->latest[$key][(int) $writer] ?? 0)) {
            ++$this->old;
        } else {
            $this->latest[$key][(int) $writer] = (int) $number;
        }
    }

    private static function key(int $number): string
    {
        return \sprintf('safety-%d', $number);
    }
}
