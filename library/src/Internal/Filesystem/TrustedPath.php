<?php

declare(strict_types=1);

namespace Larder\Internal\Filesystem;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Process\User;
use Larder\Internal\Process\Warnings;

/**
 * A path that no other user can redirect. A user who can rename one of its folders could replace that folder, and
 * choose what is unserialized or run here.
 *
 * PHP has no openat(), so every folder of the path is checked, from the root on, and every symbolic link with its own
 * path. Each must belong to a trusted user: root, the user of this process, or the owner of Larder's code, who can run
 * code here anyway. No other user may be able to write to it, except for a sticky folder such as /tmp, in which nobody
 * can rename another user's files.
 *
 * Folders outside of open_basedir cannot be checked, and are trusted: the administrator has chosen those below them.
 */
final class TrustedPath
{
    private const LINKS = 40;
    private const TYPE = 0o170000;
    private const LINK = 0o120000;
    private const FOLDER = 0o040000;
    private const FILE = 0o100000;
    private const STICKY = 0o1000;
    private const WRITABLE_BY_OTHERS = 0o022;

    private static ?int $codeOwner = null;

    private readonly int $user;
    /** True if open_basedir may hide existing paths. */
    private readonly bool $isRestricted;

    private function __construct(private readonly string $store)
    {
        $user = User::id();
        if ($user === null) {
            throw $this->refusal('PHP cannot tell as which user it runs', StoreUnavailable::install('common'));
        }
        $this->user = $user;
        $this->isRestricted = (string) ini_get('open_basedir') !== '';
    }

    /**
     * Checks the existing part of a path. Its end may be missing; else it must be a folder, not even a sticky one, or a
     * regular file, that no other user can write.
     *
     * @param string $store scheme in messages
     * @param int|null $mode receives the mode of its end, as lstat() returns it; null if it is missing
     * @return string the path without symbolic links
     * @throws StoreUnavailable
     */
    public static function check(string $store, string $path, ?int &$mode = null): string
    {
        $mode = null;

        return Warnings::suppress(static function () use ($store, $path, &$mode): string {
            return (new self($store))->resolved($path, $mode);
        });
    }

    /** True for a missing path, or a trusted user's folder or regular file, no link, that no other user can write. */
    public static function isOurs(string $path): bool
    {
        clearstatcache();
        $stat = Warnings::suppress(static fn(): array|false => lstat($path));

        return $stat === false || self::isTrusted($stat['uid'], (int) User::id())
            && \in_array($stat['mode'] & self::TYPE, [self::FOLDER, self::FILE], true)
            && ($stat['mode'] & self::WRITABLE_BY_OTHERS) === 0;
    }

    private static function isTrusted(int $owner, int $user): bool
    {
        return $owner === 0 || $owner === $user || $owner === (self::$codeOwner ??= (int) fileowner(__FILE__));
    }

    private function resolved(string $path, ?int &$mode): string
    {
        clearstatcache();
        $links = 0;
        $real = '';
        $names = self::names(str_starts_with($path, '/') ? $path : getcwd() . '/' . $path);
        $root = lstat('/');
        if ($root !== false) {
            $this->checkEntry('/', $root['mode'], $root['uid'], $names === []);
        }
        while ($names !== []) {
            $name = array_shift($names);
            if ($name === '..') {
                $real = substr($real, 0, (int) strrpos($real, '/'));

                continue;
            }
            $next = $real . '/' . $name;
            $stat = lstat($next);
            if ($stat === false && !$this->isRestricted) {
                return implode('/', [$next, ...$names]);
            }
            if ($stat !== false && ($stat['mode'] & self::TYPE) === self::LINK) {
                $this->checkOwner($next, $stat['uid'], 'link', false);
                $target = $this->target($next);
                if (++$links > self::LINKS) {
                    throw $this->refusal("the links at $next lead in a circle", 'Name another path');
                }
                $names = [...self::names($target), ...$names];
                $real = str_starts_with($target, '/') ? '' : $real;

                continue;
            }
            $real = $next;
            if ($stat !== false) {
                $this->checkEntry($real, $stat['mode'], $stat['uid'], $names === []);
                $mode = $names === [] ? $stat['mode'] : null;
            }
        }

        return $real === '' ? '/' : $real;
    }

    private function refusal(string $what, string $how): StoreUnavailable
    {
        return StoreUnavailable::because($this->store, $what, $how);
    }

    private function target(string $link): string
    {
        try {
            return (string) readlink($link);
        } catch (\Error) {
            throw $this->refusal(
                "$link is a link, and PHP has no function readlink() here",
                'Name the path that it leads to, or take readlink out of disable_functions',
            );
        }
    }

    private function checkEntry(string $path, int $mode, int $owner, bool $isLast): void
    {
        $kind = match ($mode & self::TYPE) {
            self::FOLDER => 'directory',
            self::FILE => $isLast ? 'file' : null,
            default => null,
        };
        if ($kind === null) {
            throw $this->refusal("$path is not a directory", 'Name another path');
        }
        $this->checkOwner($path, $owner, $kind, $isLast);
        $bits = $mode & self::WRITABLE_BY_OTHERS;
        if ($bits === 0 || (!$isLast && ($mode & self::STICKY) !== 0)) {
            return;
        }
        $who = $bits === 0o020 ? 'its group' : 'everybody';

        throw $this->refusal("$who can write the $kind $path", self::advice($path, $kind, $isLast));
    }

    private function checkOwner(string $path, int $owner, string $kind, bool $isLast): void
    {
        if (!self::isTrusted($owner, $this->user)) {
            $user = User::name($owner);

            throw $this->refusal("the $kind $path belongs to another user, $user", self::advice($path, $kind, $isLast));
        }
    }

    /** A wrong DSN may name any path, so the advice is to change nothing, and to remove only a cache. */
    private static function advice(string $path, string $kind, bool $isLast): string
    {
        $user = User::name();
        $quoted = self::quoted($path);

        return match (true) {
            !$isLast => 'Whoever can do that can put something else in the place of what is below.'
                . " Use a path that only $user can change",
            $kind === 'file' => "Name another file; or, if this one is nothing but a cache, remove it: rm $quoted",
            (fileperms($path) & self::STICKY) !== 0 => 'Make a directory of its own there, and use that: mkdir -m 700 '
                . self::quoted("$path/larder-$user"),
            self::isCache($path) => "Remove this cache, with what others may have left there: rm -r $quoted",
            default => "Use a directory of its own, that only $user can write",
        };
    }

    /** True if a folder has the files of a namespace, and no others. */
    public static function isCache(string $path): bool
    {
        $names = array_diff((array) scandir($path), ['.', '..', false]);

        return $names !== [] && preg_grep('/^[0-9a-f]{2}$/D', $names, \PREG_GREP_INVERT) === [];
    }

    /** As escapeshellarg(), which hosts disable, and which loses characters that the locale lacks. */
    public static function quoted(string $path): string
    {
        return "'" . str_replace("'", "'\\''", $path) . "'";
    }

    /** @return list<string> */
    private static function names(string $path): array
    {
        return array_values(array_diff(explode('/', $path), ['', '.']));
    }
}
