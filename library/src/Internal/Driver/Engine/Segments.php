<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Engine;

use Larder\Internal\Process\User;
use Larder\Internal\Process\Warnings;

/** The engine's segments of all users, as their files show them: none is opened or mapped. */
final class Segments
{
    private static bool $isTold = false;

    private const FORM = '/^(.+)-[0-9a-f]{16}$/D';
    /** Bytes in one unit of st_blocks. */
    private const BLOCK = 512;

    /**
     * @return array<int, array<string, array{size: int, committed: int}>> bytes by user id and name. Only root sees
     *         segments of other users: for others, such a user has an empty array
     */
    public static function all(): array
    {
        return Warnings::suppress(static function (): array {
            $path = (string) ini_get('larder.path');
            $users = [];
            foreach ([...(array) glob("$path/larder-*"), ...(array) glob("$path/larder/*")] as $folder) {
                $name = basename((string) $folder);
                $user = str_starts_with($name, 'larder-') ? substr($name, \strlen('larder-')) : $name;
                $stat = ctype_digit($user) ? lstat((string) $folder) : false;
                // Another user may make a folder, or a link, of that name.
                if ($stat !== false && $stat['uid'] === (int) $user && ($stat['mode'] & 0o170077) === 0o040000) {
                    $users[(int) $user] = ($users[(int) $user] ?? []) + self::in((string) $folder);
                }
            }
            ksort($users);

            return $users;
        });
    }

    /**
     * What segments of this user and name take that this process cannot read: another version of PHP, or of Larder, has
     * made them.
     *
     * @param string $path the file of this process's segment
     * @return int bytes; 0 for none
     */
    public static function ofOtherVersions(string $name, string $path): int
    {
        return Warnings::suppress(static function () use ($name, $path): int {
            $committed = 0;
            [$base, $user] = [(string) ini_get('larder.path'), User::id()];
            foreach (["$base/larder-$user", "$base/larder/$user"] as $folder) {
                $committed += self::in($folder, $path)[$name]['committed'] ?? 0;
            }

            return $committed;
        });
    }

    /**
     * A user who clears a cache in the shell often means another user's: root in a container.
     *
     * @param iterable<string> $keys of the cleared cache
     * @return string a warning if there are none, and other users have a segment; else ""
     */
    public static function clearedInstead(iterable $keys): string
    {
        foreach ($keys as $key) {
            if (!str_starts_with($key, Engine::NAMESPACE_VERSION)) {
                return '';
            }
        }
        /** @var array{available: bool, segment: string, user: int} $own */
        $own = \larder_info(false);
        if (!$own['available']) {
            return '';
        }
        $isRoot = $own['user'] === 0;
        $others = [];
        foreach (self::all() as $user => $segments) {
            // Only root sees whether another user has that segment. Root's own is often there by accident.
            if ($user !== $own['user'] && ($isRoot ? isset($segments[$own['segment']]) : $user !== 0)) {
                $others[] = User::name($user);
            }
        }

        return $others === [] ? '' : \sprintf(
            'Each user has a cache of its own. That of %s, who runs this, was empty; it is not that of %s. '
                . 'For that: sudo -u %s <this command>',
            User::name($own['user']),
            implode(', ', $others),
            $others[0],
        );
    }

    /** On the command line only, since a page has no reader for it; and once for a process, which may clear often. */
    public static function warnWhoClears(): void
    {
        if (self::$isTold || \PHP_SAPI !== 'cli' || !\defined('STDERR') || Engine::isInPhp()) {
            return;
        }
        $warning = self::clearedInstead((static function (): \Generator {
            for ($entries = new \LarderIterator(); $entries->valid(); $entries->next()) {
                yield (string) $entries->key();
            }
        })());
        if ($warning !== '') {
            self::$isTold = true;
            fwrite(\STDERR, "larder: $warning\n");
        }
    }

    /**
     * @param string $except a file that does not count
     * @return array<string, array{size: int, committed: int}>
     */
    private static function in(string $folder, string $except = ''): array
    {
        $segments = [];
        foreach ((array) scandir($folder) as $file) {
            $stat = preg_match(self::FORM, (string) $file, $parts) === 1 ? lstat("$folder/$file") : false;
            if ($stat !== false && "$folder/$file" !== $except) {
                $segments[$parts[1]] ??= ['size' => 0, 'committed' => 0];
                $segments[$parts[1]]['size'] += $stat['size'];
                $segments[$parts[1]]['committed'] += max(0, $stat['blocks']) * self::BLOCK;
            }
        }

        return $segments;
    }
}
