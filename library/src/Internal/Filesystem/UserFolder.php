<?php

declare(strict_types=1);

namespace Larder\Internal\Filesystem;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Process\Functions;
use Larder\Internal\Process\User;
use Larder\Internal\Process\Warnings;

/**
 * A private folder (0700) of this user in a folder that all users can write, such as /tmp or /dev/shm. All processes of
 * the user find the same one.
 *
 * It is <name>-<user id>. If another user created that first, which is possible for every predictable name, it is
 * <name>-<user id>-<random>: the first process creates it, and the others find it by its owner.
 */
final class UserFolder
{
    /** The name of that of outages. */
    public const AWAY = 'larder-away';

    private const TRIES = 20;
    /** Microseconds for another process to remove its folder, created at the same time. */
    private const PAUSE = 3000;

    /**
     * @param string $store scheme in messages
     * @throws StoreUnavailable if none can be created there, or other users can replace it
     */
    public static function find(string $store, string $parent, string $name): string
    {
        if (ini_get('disable_functions') !== '') {
            StoreUnavailable::unlessThere($store, Functions::firstMissing(Functions::FOLDER));
        }
        $parent = TrustedPath::check($store, $parent . '/' . $name);
        $plain = \sprintf('%s-%d', $parent, User::id());
        $warnings = [];
        $path = Warnings::collect(static function () use ($plain): ?string {
            $isOwn = self::isOwn($plain) || FolderTree::makeOne($plain) || self::isOwn($plain);

            return $isOwn ? $plain : self::random($plain);
        }, $warnings);

        return $path ?? throw GuardedFolder::refusal($store, $plain, 'cannot be made', $warnings, GuardedFolder::MAKE);
    }

    /**
     * True if the folder of find() in parent() may hold a file. It creates nothing, and the usual answer, no, takes two
     * system calls. Another user can change the answer only if find() would fail; so this opens nothing.
     *
     * @param \Closure(): string $file called if the folder is there
     * @param string $byPosix never passed: see Larder\Process\Pid
     */
    public static function mayHold(string $name, \Closure $file, string $byPosix = 'posix_geteuid'): bool
    {
        if (ini_get('open_basedir') !== '') {
            return true;
        }

        $look = static function () use ($name, $file, $byPosix): bool {
            $user = \function_exists($byPosix) ? posix_geteuid() : User::id();
            $folder = \sprintf('/dev/shm/%s-%d', $name, $user);
            $stat = lstat($folder);
            if ($stat === false && !is_dir('/dev/shm')) {
                $folder = \sprintf('%s/%s-%d', sys_get_temp_dir(), $name, $user);
                $stat = lstat($folder);
            }

            return $stat !== false && (!self::isPrivate($stat, $user) || is_file($folder . '/' . $file()));
        };

        try {
            return Warnings::suppress($look);
        } catch (\Error) {
            return false; // the host disables a function for this, and find() refuses
        }
    }

    /**
     * @param string $byPhp never passed: see Larder\Process\Pid
     * @return string a folder that the whole machine shares: in memory, if possible
     */
    public static function parent(string $byPhp = 'sys_get_temp_dir'): string
    {
        $isThere = Warnings::suppress(static fn(): bool => is_dir('/dev/shm'));

        return $isThere || !\function_exists($byPhp) ? '/dev/shm' : sys_get_temp_dir();
    }

    private static function random(string $plain): ?string
    {
        $found = [];
        for ($try = 0; $try < self::TRIES; ++$try) {
            $found = self::found($plain);
            if ($found === []) {
                $new = $plain . '-' . bin2hex(random_bytes(16));
                if (!FolderTree::makeOne($new)) {
                    return null;
                }
                $found = self::found($plain);
                if ($found !== [$new]) {
                    rmdir($new); // another process was first, or as fast
                    Functions::sleep(random_int(0, self::PAUSE));
                }
            }
            if (\count($found) === 1) {
                return $found[0];
            }
            Functions::sleep(self::PAUSE);
        }
        // A process died between the two steps. A folder in use stays, as it is not empty.
        foreach (\array_slice($found, 1) as $other) {
            rmdir($other);
        }

        return $found[0] ?? null;
    }

    /** @return list<string> those of this user, by name */
    private static function found(string $plain): array
    {
        $folder = \dirname($plain);
        $form = '/^' . preg_quote(basename($plain), '/') . '-[0-9a-f]{32}$/D';
        // Not scandir(): other users may have created more files than fit into PHP's memory.
        $names = opendir($folder);
        $found = [];
        while ($names !== false && ($name = readdir($names)) !== false) {
            if (preg_match($form, $name) === 1 && self::isOwn($folder . '/' . $name)) {
                $found[] = $folder . '/' . $name;
            }
        }
        sort($found, \SORT_STRING);

        return $found;
    }

    /** @phpstan-impure */
    private static function isOwn(string $path): bool
    {
        clearstatcache();
        $stat = lstat($path);

        return $stat !== false && self::isPrivate($stat, User::id());
    }

    /** @param array{uid: int, mode: int, ...} $stat */
    private static function isPrivate(array $stat, ?int $user): bool
    {
        return $stat['uid'] === $user && ($stat['mode'] & 0o170077) === 0o040000;
    }
}
