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
        /** @var \Iterator<string, array{ttl: float, age: int, size: int, used: bool}> $entries */
        $entries = new \LarderIterator();

        return self::first($entries, Names::ofSegment(), $prefix, $number, $sort, $isUnread, $isAll);
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
                yield $name => ['ttl' => $ttl, 'age' => null, 'size' => $size, 'used' => $isUsed];
            }
        })();

        return self::first($entries, null, $prefix, $number, $sort);
    }

    /**
     * Keeps only the first entries in a heap, so that a million keys need little memory, and makes no array for others,
     * so that they need little time.
     *
     * @template T of array{ttl: float, age: int|null, size: int, used: bool|null}
     * @param \Iterator<string, T> $all by their names in the store
     * @param Names|null $names of the segment; null: keys are shown as they are
     * @return array{entries: list<array{string, T, string}>, count: int, bytes: int, library: int, cleared: int}
     */
    private static function first(
        \Iterator $all,
        ?Names $names,
        string $prefix,
        int $number,
        string $sort,
        bool $isUnread = false,
        bool $isAll = false,
    ): array {
        /** @var \SplMinHeap<array{int|float, array{string, T, string}}> $heap */
        $heap = new \SplMinHeap();
        [$count, $bytes, $least, $isFull] = [0, 0, 0, false];
        $hidden = [Names::LIBRARY => 0, Names::CLEARED => 0];
        foreach ($all as $stored => $info) {
            $key = $names === null ? $stored : $names->of($stored);
            if ($names !== null && isset($hidden[$key])) {
                ++$hidden[$key];
                if (!$isAll) {
                    continue;
                }
                $key = $stored;
            }
            if ($isUnread && $info['used'] === true || $prefix !== '' && !str_starts_with($key, $prefix)) {
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
                $heap->insert([$rank, [$key, $info, $stored]]);
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

        return [
            'entries' => array_reverse($entries),
            'count' => $count,
            'bytes' => $bytes,
            'library' => $hidden[Names::LIBRARY],
            'cleared' => $hidden[Names::CLEARED],
        ];
    }
}
