<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Internal\Driver\Engine\Names;

/** The entries of the segment, or of a server, by size, age or time to live. */
final class Keys
{
    /**
     * @return array{
     *     entries: list<array{string, array{ttl: float, age: int, size: int, used: bool}, string}>,
     *     count: int,
     *     bytes: int,
     *     library: int,
     *     cleared: int,
     * }
     */
    public static function find(
        string $prefix,
        int $number,
        string $sort = 'size',
        bool $isUnread = false,
        bool $isAll = false,
    ): array {
        $hidden = [Names::LIBRARY => 0, Names::CLEARED => 0];
        $found = self::first(self::inSegment($isAll, $isUnread, $hidden), $prefix, $number, $sort);

        return $found + ['library' => $hidden[Names::LIBRARY], 'cleared' => $hidden[Names::CLEARED]];
    }

    /**
     * @param string $sort "size" or "ttl"
     * @return array{
     *     entries: list<array{string, array{ttl: float, age: null, size: int, used: bool|null}, string}>,
     *     count: int,
     *     bytes: int,
     *     library: int,
     *     cleared: int,
     * } as find()
     */
    public static function onServer(ServerEntries $server, string $prefix, int $number, string $sort): array
    {
        $entries = (static function () use ($server): \Generator {
            foreach ($server->entries() as ['name' => $name, 'size' => $size, 'ttl' => $ttl, 'used' => $isUsed]) {
                yield [$name, ['ttl' => $ttl, 'age' => null, 'size' => $size, 'used' => $isUsed], $name];
            }
        })();

        return self::first($entries, $prefix, $number, $sort) + ['library' => 0, 'cleared' => 0];
    }

    /**
     * @param array<string, int> $hidden counts those of the library, and those that clear() has left
     * @return \Generator<array{string, array{ttl: float, age: int, size: int, used: bool}, string}>
     */
    private static function inSegment(bool $isAll, bool $isUnread, array &$hidden): \Generator
    {
        $names = Names::ofSegment();
        /** @var array{ttl: float, age: int, size: int, used: bool} $info */
        foreach (new \LarderIterator() as $stored => $info) {
            $key = $names->of($stored);
            if (isset($hidden[$key])) {
                ++$hidden[$key];
                if (!$isAll) {
                    continue;
                }
                $key = $stored;
            }
            if (!$isUnread || !$info['used']) {
                yield [$key, $info, $stored];
            }
        }
    }

    /**
     * Keeps only the first entries in a heap, so that a million keys need little memory.
     *
     * @template T of array{ttl: float, age: int|null, size: int, used: bool|null}
     * @param iterable<array{string, T, string}> $all
     * @return array{entries: list<array{string, T, string}>, count: int, bytes: int}
     */
    private static function first(iterable $all, string $prefix, int $number, string $sort): array
    {
        /** @var \SplMinHeap<array{int|float, array{string, T, string}}> $heap */
        $heap = new \SplMinHeap();
        [$count, $bytes, $least, $isFull] = [0, 0, 0, false];
        foreach ($all as $entry) {
            [$key, $info] = $entry;
            if ($prefix !== '' && !str_starts_with($key, $prefix)) {
                continue;
            }
            ++$count;
            $bytes += $info['size'];
            $rank = match ($sort) {
                'size' => $info['size'],
                'age' => (int) $info['age'],
                default => $info['ttl'] === 0.0 ? -\INF : -$info['ttl'],
            };
            if (!$isFull || $rank > $least) {
                $heap->insert([$rank, $entry]);
                if ($heap->count() > $number) {
                    $heap->extract();
                }
                $isFull = $heap->count() === $number;
                $least = $heap->top()[0];
            }
        }
        $entries = [];
        while (!$heap->isEmpty()) {
            $entries[] = $heap->extract()[1];
        }

        return ['entries' => array_reverse($entries), 'count' => $count, 'bytes' => $bytes];
    }
}
