<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

/** What happens in the segment, for `larder top` and the page in a browser. */
final class Activity
{
    /**
     * @return array{
     *     segment: string,
     *     hit_rate: float|null,
     *     hit_rate_ever: float|null,
     *     per_second: array{gets: float, stores: float, evictions: float},
     *     size: int,
     *     free: float,
     *     entries: int,
     *     held: int,
     *     oldest: float,
     *     removed: array{expired: int, deletes: int, clears: int},
     *     evicted_read: float|null,
     *     evicted_within: int|null,
     *     sizes: list<array{size: int, hit_rate: float}>,
     *     holders: list<array{pid: int, bytes: int, command: string}>,
     * }
     */
    public static function between(Counters $before, Counters $now, ?Prediction $prediction): array
    {
        $info = larder_info();
        /** @var array{
         *     segment: string, size: int, entries: int, oldest: float,
         *     memory: array{page_size: int, pages: int, free: int},
         *     pins: array{pages: int},
         *     processes: array{holders: list<array{pid: int, pages: int, mine: bool}>},
         * } $info
         */
        $seconds = max(1e-3, $now->time - $before->time);
        $hits = $now->hits - $before->hits;
        $gets = $hits + $now->misses - $before->misses;
        $page = $info['memory']['page_size'];
        $holders = [];
        foreach ($info['processes']['holders'] as ['pid' => $pid, 'pages' => $pages, 'mine' => $isMine]) {
            if (!$isMine) {
                $holders[] = ['pid' => $pid, 'bytes' => $pages * $page, 'command' => self::command($pid)];
            }
        }

        return [
            'segment' => $info['segment'],
            'hit_rate' => $gets === 0 ? null : fdiv($hits, $gets),
            'hit_rate_ever' => $now->hitRate(),
            'per_second' => [
                'gets' => $gets / $seconds,
                'stores' => ($now->stores - $before->stores) / $seconds,
                'evictions' => ($now->evicted - $before->evicted) / $seconds,
            ],
            'size' => $info['size'],
            'free' => $info['memory']['free'] / max(1, $info['memory']['pages']),
            'entries' => $info['entries'],
            'held' => $info['pins']['pages'] * $page,
            'oldest' => $info['oldest'],
            'removed' => ['expired' => $now->expired, 'deletes' => $now->deletes, 'clears' => $now->clears],
            'evicted_read' => $now->evictedRead(),
            'evicted_within' => $now->evictedWithin(),
            'sizes' => $prediction === null ? [] : $prediction->sizes,
            'holders' => $holders,
        ];
    }

    /** Another container's process has another number here. */
    private static function command(int $pid): string
    {
        $words = @file_get_contents("/proc/$pid/cmdline");

        return $words === false || $words === '' ? '?' : trim(Text::utf8(str_replace("\0", ' ', $words)));
    }
}
