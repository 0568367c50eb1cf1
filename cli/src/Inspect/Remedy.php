<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Symfony\Component\Console\Helper\Helper;

/** Says how the segment of this process gets more memory. */
final class Remedy
{
    /** The engine leaves a sixteenth of the file system free for others. */
    private const SPARE_PART = 16;

    /** @param int $wanted bytes */
    public static function larger(int $wanted): string
    {
        /** @var array{size: int, size_asked: int, settings: array<string, mixed>} $info */
        $info = larder_info();
        ['size' => $size, 'size_asked' => $asked] = $info;
        $path = (string) ini_get('larder.path');
        $all = (int) @disk_total_space($path);
        $setting = \sprintf('set larder.size=%s in php.ini', self::inIni(max($wanted, $asked)));

        $isAskedSince = isset($info['settings']['larder.size']); // another size than that of the segment's creation

        return match (true) {
            $isAskedSince && $asked >= $wanted => 'Run: larder resize',
            $all > 0 && $size >= $all - intdiv($all, self::SPARE_PART) - (1 << 20) => \sprintf(
                'Enlarge the file system of %s, which has %s (in a container: --shm-size)%s, then run: larder resize',
                $path,
                Helper::formatMemory($all),
                $asked >= $wanted ? '' : ", $setting",
            ),
            !$isAskedSince && $size < $asked => 'Raise the memory limit of this process (its cgroup or container), of '
                . 'which the engine takes at most three quarters, then run: larder resize',
            default => ucfirst($setting) . ', then run: larder resize',
        };
    }

    /** "32M", "2G" */
    private static function inIni(int $bytes): string
    {
        $mebibytes = (int) ceil($bytes / (1 << 20));

        return $mebibytes % 1024 === 0 ? intdiv($mebibytes, 1024) . 'G' : $mebibytes . 'M';
    }
}
