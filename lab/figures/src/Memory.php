<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** Bytes of a small entry, measured with a million entries. All of them must still exist. */
final class Memory
{
    private const ENTRIES = 1_000_000;

    /** Bytes of the index per entry: a bucket of 64 bytes has seven words, and the index is sized for a 77 % load. */
    private const INDEX_BYTES = 64 / 7 / 0.77;

    public static function row(): Row
    {
        return new Row('memory', 'bytes of a small entry, of 1,000,000', 'APCu', 0.65, ['apc.shm_size' => '512M'], self::measure(...));
    }

    /** @return non-empty-list<array{float, float}> */
    private static function measure(): array
    {
        $before = self::used();
        $theirs = self::apcuUsed();
        for ($i = 0; $i < self::ENTRIES; $i++) {
            larder_store('entry:' . $i, 'x' . $i);
            apcu_store('entry:' . $i, 'x' . $i);
        }
        for ($i = 0; $i < self::ENTRIES; $i++) {
            if (larder_fetch('entry:' . $i) !== 'x' . $i) {
                throw new \RuntimeException(\sprintf('entry %d of %d is gone: the index is too small', $i, self::ENTRIES));
            }
        }

        return [[(self::used() - $before) / self::ENTRIES, (self::apcuUsed() - $theirs) / self::ENTRIES]];
    }

    /** Bytes of the pages in use, plus each entry's part of the index. */
    private static function used(): int
    {
        $info = larder_info();
        $memory = $info['memory'] ?? null;
        $entries = $info['entries'] ?? null;
        if (!\is_array($memory) || !\is_int($memory['pages'] ?? null) || !\is_int($memory['free'] ?? null) || !\is_int($memory['page_size'] ?? null) || !\is_int($entries)) {
            throw new \RuntimeException('larder_info() does not report its memory');
        }

        return (int) (($memory['pages'] - $memory['free']) * $memory['page_size'] + $entries * self::INDEX_BYTES);
    }

    private static function apcuUsed(): int
    {
        $memory = apcu_sma_info(true);
        if ($memory === false) {
            throw new \RuntimeException('APCu is not enabled');
        }

        ['num_seg' => $segments, 'seg_size' => $size, 'avail_mem' => $free] = $memory;

        return \is_numeric($segments) && \is_numeric($size) && \is_numeric($free) ? (int) ($segments * $size - $free) : 0;
    }
}
