<?php

declare(strict_types=1);

namespace Larder\Filesystem;

use Larder\Exception\StoreUnavailable;
use Larder\Process\Quietly;
use Larder\Process\User;

/**
 * A private folder (0700) of this user in a folder that all users can write, such as /tmp or /dev/shm. All processes of the
 * user find the same one.
 *
 * It is <name>-<user id>, unless another user created that first. Since others can do that with every predictable name, it is
 * <name>-<user id>-<random> then: the first process creates it, and the others find it by its owner.
 */
final class UserFolder
{
    private const TRIES = 20;
    /** Microseconds, for another process to remove what it made at the same time. */
    private const PAUSE = 3000;

    /**
     * @param string $store the scheme that asks, for its errors
     * @throws StoreUnavailable when none can be made there, or others can put one of theirs in its place
     */
    public static function find(string $store, string $parent, string $name): string
    {
        $parent = TrustedPath::check($store, $parent . '/' . $name);
        $plain = \sprintf('%s-%d', $parent, User::id());
        $path = Quietly::run(static fn(): ?string => self::isOwn($plain) || mkdir($plain, 0o700) || self::isOwn($plain) ? $plain : self::random($plain));

        return $path ?? throw StoreUnavailable::because($store, \sprintf('the directory %s cannot be made', $plain), \sprintf('Make %s writable for the user %s', \dirname($plain), User::name()));
    }

    /** @return string where to look for one that the whole machine shares: in memory, where that can be */
    public static function parent(): string
    {
        return Quietly::run(static fn(): bool => is_dir('/dev/shm')) ? '/dev/shm' : sys_get_temp_dir();
    }

    private static function random(string $plain): ?string
    {
        $found = [];
        for ($try = 0; $try < self::TRIES; ++$try) {
            $found = self::found($plain);
            if ($found === []) {
                $new = $plain . '-' . bin2hex(random_bytes(16));
                if (!mkdir($new, 0o700)) {
                    return null;
                }
                $found = self::found($plain);
                if ($found !== [$new]) {
                    rmdir($new); // another process was first, or as fast
                    usleep(random_int(0, self::PAUSE));
                }
            }
            if (\count($found) === 1) {
                return $found[0];
            }
            usleep(self::PAUSE);
        }
        // Somebody died between the two steps. What is in use stays, as it is not empty.
        foreach (\array_slice($found, 1) as $other) {
            rmdir($other);
        }

        return $found[0] ?? null;
    }

    /** @return list<string> those of this user, in the order of their names */
    private static function found(string $plain): array
    {
        $folder = \dirname($plain);
        $form = '/^' . preg_quote(basename($plain), '/') . '-[0-9a-f]{32}$/D';
        // One after the other: a list of what others have made there may be too long for PHP's memory.
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

        return $stat !== false && $stat['uid'] === User::id() && ($stat['mode'] & 0o170077) === 0o040000;
    }
}
