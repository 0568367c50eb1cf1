<?php

declare(strict_types=1);

namespace Larder\Filesystem;

use Larder\Exception\StoreUnavailable;
use Larder\Process\Quietly;
use Larder\Process\User;

/**
 * A path that no other user can redirect. Whoever can rename a folder of it can replace that folder, and thereby choose what
 * is unserialized or run here.
 *
 * PHP has no openat(), so every folder of the path is checked, from the root on, and every symbolic link with the folders
 * that it leads through. Each must belong to a trusted user: root, the user of this process, or the owner of Larder's code,
 * who can run code here anyway. Nobody else may be able to write to it, except that a sticky folder such as /tmp is allowed,
 * because others cannot rename there what a trusted user owns.
 *
 * Folders outside of open_basedir cannot be checked. Whoever set open_basedir has chosen the folders that this process may
 * use, so those above them are trusted.
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

    /** @var list<int> */
    private readonly array $trusted;
    /** Whether what is not seen may be there all the same. */
    private readonly bool $isRestricted;

    private function __construct(private readonly string $store)
    {
        $user = User::id();
        if ($user === null) {
            throw StoreUnavailable::because($store, 'PHP cannot tell as which user it runs', StoreUnavailable::install('common'));
        }
        $this->trusted = self::trusted($user);
        $this->isRestricted = (string) ini_get('open_basedir') !== '';
    }

    /**
     * Checks all that is there of a path. The last of it is a folder, or a regular file, that nobody else can write (a sticky
     * folder neither); or it is still to be made, and everything before it is as said above.
     *
     * @param string $store the scheme that asks, for its errors
     * @return string the path without symbolic links
     * @throws StoreUnavailable naming what is wrong on the way, and the command that repairs it
     */
    public static function check(string $store, string $path): string
    {
        return Quietly::run(static fn(): string => (new self($store))->resolved($path));
    }

    /** Whether a folder or a regular file, no link, is a trusted user's that nobody else can write; or is not there. */
    public static function isOurs(string $path): bool
    {
        clearstatcache();
        $stat = Quietly::run(static fn(): array|false => lstat($path));

        return $stat === false || \in_array($stat['uid'], self::trusted((int) User::id()), true)
            && \in_array($stat['mode'] & self::TYPE, [self::FOLDER, self::FILE], true)
            && ($stat['mode'] & self::WRITABLE_BY_OTHERS) === 0;
    }

    /** @return list<int> */
    private static function trusted(int $user): array
    {
        return [0, $user, self::$codeOwner ??= (int) fileowner(__FILE__)];
    }

    private function resolved(string $path): string
    {
        clearstatcache();
        $links = 0;
        $real = '';
        $names = self::names(str_starts_with($path, '/') ? $path : getcwd() . '/' . $path);
        $this->checkFolder('/', isLast: $names === []);
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
                $target = (string) readlink($next);
                if (++$links > self::LINKS) {
                    throw StoreUnavailable::because($this->store, \sprintf('the links at %s lead in a circle', $next), \sprintf('Remove the link: rm %s', escapeshellarg($next)));
                }
                $names = [...self::names($target), ...$names];
                $real = str_starts_with($target, '/') ? '' : $real;

                continue;
            }
            $real = $next;
            if ($stat !== false) {
                $this->checkEntry($real, $stat['mode'], $stat['uid'], $names === []);
            }
        }

        return $real === '' ? '/' : $real;
    }

    private function checkFolder(string $path, bool $isLast): void
    {
        $stat = lstat($path);
        if ($stat !== false) {
            $this->checkEntry($path, $stat['mode'], $stat['uid'], $isLast);
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
            throw StoreUnavailable::because($this->store, \sprintf('%s is not a directory', $path), 'Name another path');
        }
        $this->checkOwner($path, $owner, $kind, $isLast);
        $bits = $mode & self::WRITABLE_BY_OTHERS;
        if ($bits === 0 || (!$isLast && ($mode & self::STICKY) !== 0)) {
            return;
        }
        [$who, $letters] = match ($bits) {
            0o020 => ['its group', 'g'],
            0o002 => ['everybody', 'o'],
            default => ['everybody', 'go'],
        };

        throw StoreUnavailable::because($this->store, \sprintf('%s can write the %s %s', $who, $kind, $path), $this->repair($path, $isLast, \sprintf('chmod %s-w', $letters)));
    }

    private function checkOwner(string $path, int $owner, string $kind, bool $isLast): void
    {
        if (\in_array($owner, $this->trusted, true)) {
            return;
        }
        $command = match (true) {
            $kind === 'link' => 'chown -h root',
            $isLast => 'chown -R ' . User::name(),
            default => 'chown root',
        };

        throw StoreUnavailable::because($this->store, \sprintf('the %s %s belongs to another user, %s', $kind, $path, User::name($owner)), $this->repair($path, $isLast, $command));
    }

    private function repair(string $path, bool $isLast, string $command): string
    {
        $path = escapeshellarg($path);

        return $isLast
            ? \sprintf('Remove it, with what others may have left there: rm -r %s; or, if it holds more than a cache: %s %s', $path, $command, $path)
            : \sprintf('Whoever can do that can put something else in the place of what is below. Take the right away: %s %s; or use a path that only %s can change', $command, $path, User::name());
    }

    /** @return list<string> */
    private static function names(string $path): array
    {
        return array_values(array_diff(explode('/', $path), ['', '.']));
    }
}
