<?php

declare(strict_types=1);

namespace Larder\Internal\Filesystem;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Process\User;
use Larder\Internal\Process\Warnings;

/**
 * A namespace's folder, created if missing, that only trusted users reach or change (see TrustedPath).
 *
 * Other users cannot add files to it or replace it, so the owner of a file there is not checked. The folder itself is
 * checked again after a hundredth of a second; while it is open to others, nothing is read or written. If others may
 * enter it (an existing one, 0755), the folders in it may be open, too, so each file and its folder are checked.
 */
final class GuardedFolder
{
    private const NANOSECONDS_BETWEEN_CHECKS = 10_000_000;
    private const OTHERS_ENTER = 0o011;
    private const TYPE = 0o170000;
    private const FOLDER = 0o040000;
    public const MAKE = 'Make it for the user %1$s: install -d -m 700 -o %1$s %2$s';

    public readonly string $path;
    /** End of the time, by hrtime(), in which files in it may be read without isSafe(); 0 if each needs it. */
    public int $safeUntil = 0;
    private int $nextCheck = 0;
    private bool $isPrivate = false;

    /** @throws StoreUnavailable if it cannot be created or written, or other users can change it */
    public function __construct(private readonly string $store, string $directory, string $namespace)
    {
        $path = TrustedPath::check($store, $directory . '/' . $namespace, $mode);
        $isThere = $mode !== null && ($mode & self::TYPE) === self::FOLDER;
        $warnings = [];
        if (!$isThere && !Warnings::collect(static fn(): bool => FolderTree::make($path), $warnings)) {
            throw self::refusal($store, $path, 'cannot be made', $warnings, self::MAKE);
        }
        $this->path = $path;
        $isThere ? $this->note($mode) : $this->check();
        if (!is_writable($path)) {
            $this->checkUnwritable();
        }
    }

    /** A cache that was filled before its file system became read-only, as in the image of a container, can be read. */
    private function checkUnwritable(): void
    {
        $warnings = [];
        $probe = \sprintf('%s/%s', $this->path, bin2hex(random_bytes(8)));
        Warnings::collect(static fn(): bool => fopen($probe, 'x') !== false && unlink($probe), $warnings);
        $isCache = Warnings::suppress(fn(): bool => TrustedPath::isCache($this->path));
        if (!$isCache || !self::isReadOnly($warnings)) {
            $how = $isCache
                ? 'Let the user %1$s write there: chown -R %1$s %2$s'
                : 'Use a directory of its own, that the user %1$s can write';

            throw self::refusal($this->store, $this->path, 'is not writable', $warnings, $how);
        }
    }

    /**
     * @param list<string> $warnings of PHP
     * @param string $how with the user as %1$s and the path as %2$s
     */
    public static function refusal(
        string $store,
        string $path,
        string $what,
        array $warnings,
        string $how,
    ): StoreUnavailable {
        $what = "the directory $path $what";
        if (self::isReadOnly($warnings)) {
            $what .= ': its file system is read-only';
            $how = 'Name a directory on another one, or mount this one writable';
        } elseif (preg_grep('/\(\): open_basedir restriction in effect/', $warnings) !== []) {
            $what .= ': it is not within open_basedir';
            $how = 'Name a directory within it, or add this one to it in php.ini or in the FPM pool';
        } else {
            $how = \sprintf($how, User::name(), TrustedPath::quoted($path));
        }

        return StoreUnavailable::because($store, $what, $how);
    }

    /** @param list<string> $warnings of PHP */
    private static function isReadOnly(array $warnings): bool
    {
        return preg_grep('/: Read-only file system$/D', $warnings) !== [];
    }

    /** True if a file in a folder of this one may be read, or written. */
    public function isSafe(string $file): bool
    {
        if (hrtime(true) >= $this->nextCheck) {
            try {
                $this->check();
            } catch (StoreUnavailable) {
                return false;
            }
        }
        $folder = \dirname($file);

        return $this->isPrivate
            || TrustedPath::isOurs($folder) && (!self::othersEnter($folder) || TrustedPath::isOurs($file));
    }

    private function check(): void
    {
        $this->nextCheck = 0;
        $this->safeUntil = 0;
        TrustedPath::check($this->store, $this->path, $mode);
        $this->note($mode ?? 0);
    }

    private function note(int $mode): void
    {
        $this->isPrivate = ($mode & self::OTHERS_ENTER) === 0;
        $this->nextCheck = (int) hrtime(true) + self::NANOSECONDS_BETWEEN_CHECKS;
        $this->safeUntil = $this->isPrivate ? $this->nextCheck : 0;
    }

    /** @return bool false also for a missing path, which would be created private */
    private static function othersEnter(string $path): bool
    {
        return ((int) Warnings::suppress(static fn(): int|false => fileperms($path)) & self::OTHERS_ENTER) !== 0;
    }
}
