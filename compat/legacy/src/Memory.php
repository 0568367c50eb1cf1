<?php

declare(strict_types=1);

namespace Larder\Legacy;

/** The memory of the segment. Before the first store creates it, that of larder.size. */
final readonly class Memory
{
    /**
     * @param int $bytes of all pages
     * @param int $free of pages that hold nothing
     * @param int $available what eviction would free: all but the pages that running requests hold
     */
    private function __construct(public int $bytes, public int $free, public int $available) {}

    /**
     * Null if no cache is available.
     *
     * @param mixed[] $info of larder_info()
     */
    public static function of(array $info): ?self
    {
        if ($info['available'] !== true) {
            return null;
        }
        $memory = \is_array($info['memory'] ?? null) ? $info['memory'] : [];
        $pins = \is_array($info['pins'] ?? null) ? $info['pins'] : [];
        $page = Number::of($memory['page_size'] ?? 0);
        $bytes = Number::of($memory['pages'] ?? 0) * $page;
        $size = Number::of($info['size_asked'] ?? 0);

        return $bytes === 0 ? new self($size, $size, $size) : new self($bytes, Number::of($memory['free'] ?? 0) * $page, $bytes - Number::of($pins['pages'] ?? 0) * $page);
    }
}
