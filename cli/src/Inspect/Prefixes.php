<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Internal\Driver\Engine\Names;
use Symfony\Component\Console\Helper\Helper;

/** The beginnings of the segment's keys, up to a separator: the memory they take, and whether it is read. */
final class Prefixes
{
    private const SEPARATORS = ':/|.';
    /** Applications whose keys have no prefix would have as many groups as keys. */
    private const MOST_GROUPS = 10_000;
    private const OTHERS = '(others)';
    /** Bytes of a group's name: keys without a separator may have 64 KB each. */
    private const LONGEST = 200;
    private const WIDTH = 32;
    /**
     * A prefix pollutes a cache if it takes more than this share of the memory, and fewer of its entries are read often.
     * Unread is no criterion: of what a healthy cache evicts, 96 % may be unread, and a page with a session id is loaded
     * again once or twice. Of Zipf's and of uniform keys, 4 % and more are read often, also of 100 times the memory.
     */
    private const MUCH = 0.25;
    private const HARDLY_READ = 0.01;
    /** So many times the entries must have been evicted, or most have not had the time to be read. */
    public const LAPS = 2;

    /**
     * @return array{array<array-key, array{int, int, int, int, int}>, array{int, int}, array{int, int}} entries, bytes,
     *         read ones, age in seconds of the oldest and those that are read often, by prefix; entries and bytes of the
     *         library, and of what clear() has left
     */
    public static function all(string $prefix = ''): array
    {
        $names = Names::ofSegment();
        $from = \strlen($prefix);
        $groups = [];
        $hidden = [Names::LIBRARY => [0, 0], Names::CLEARED => [0, 0]];
        /** @var array{ttl: float, age: int, size: int, used: bool, often?: bool} $info */
        foreach (new \LarderIterator() as $stored => $info) {
            $key = $names->of($stored);
            if (isset($hidden[$key])) {
                ++$hidden[$key][0];
                $hidden[$key][1] += $info['size'];

                continue;
            }
            if ($from > 0 && !str_starts_with($key, $prefix)) {
                continue;
            }
            $begin = $key === $stored ? $from : max($from, Names::lengthOfNamespace($key, $stored));
            $group = substr($key, 0, $begin + strcspn($key, self::SEPARATORS, $begin, self::LONGEST) + 1);
            if (!isset($groups[$group])) {
                $group = \count($groups) < self::MOST_GROUPS ? $group : self::OTHERS;
                $groups[$group] ??= [0, 0, 0, 0, 0];
            }
            $sums = &$groups[$group];
            ++$sums[0];
            $sums[1] += $info['size'];
            $sums[2] += $info['used'] ? 1 : 0;
            if ($info['age'] > $sums[3]) {
                $sums[3] = $info['age'];
            }
            // An engine that was built before, and runs until a restart, tells less.
            $sums[4] += $info['often'] ?? $info['used'] ? 1 : 0;
        }
        unset($sums);
        uasort($groups, static fn(array $a, array $b): int => $b[1] <=> $a[1]);

        return [$groups, $hidden[Names::LIBRARY], $hidden[Names::CLEARED]];
    }

    /**
     * @param array<array-key, array{int, int, int, int, int}> $groups of all()
     * @return array{string, float}|null the largest prefix, and its share of the memory, if that is much and hardly read
     */
    public static function polluting(array $groups): ?array
    {
        $all = array_sum(array_column($groups, 1));
        foreach ($groups as $prefix => $group) {
            $prefix = (string) $prefix;
            $hasMore = $group[0] > 1 && strpbrk($prefix, self::SEPARATORS) !== false;

            return $hasMore && self::isMuchAndHardlyRead($group, $all) ? [$prefix, $group[1] / $all] : null;
        }

        return null;
    }

    /**
     * @param array{int, int, int, int, int} $group
     * @param int $all bytes of all entries
     */
    public static function isMuchAndHardlyRead(array $group, int $all): bool
    {
        [$entries, $bytes, , , $often] = $group;

        return $bytes > self::MUCH * $all && $often < self::HARDLY_READ * $entries;
    }

    public static function head(): string
    {
        return self::line('PREFIX', 'ENTRIES', 'SIZE', 'OF ALL', 'READ', 'OLDEST');
    }

    /**
     * @param array{int, int, int, int, int} $group
     * @param bool $isWhole a program reads it, and needs whole prefixes
     */
    public static function row(string $prefix, array $group, int $all, bool $isWhole): string
    {
        [$entries, $bytes, $read, $oldest] = $group;

        return self::line(
            $isWhole ? Text::plain($prefix) : Text::key($prefix, self::WIDTH),
            number_format($entries),
            Helper::formatMemory($bytes),
            Text::percent($bytes, $all),
            Text::percent($read, $entries),
            Text::time($oldest),
        );
    }

    private static function line(string $prefix, string ...$columns): string
    {
        $space = str_repeat(' ', max(0, self::WIDTH - Helper::width($prefix)));

        return $prefix . $space . vsprintf(' %9s %9s %7s %6s %9s', $columns);
    }
}
