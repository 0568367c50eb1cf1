<?php

declare(strict_types=1);

namespace Larder\Filesystem;

use Larder\Exception\StoreUnavailable;
use Larder\Process\Quietly;
use Larder\Process\User;

/**
 * A namespace's folder, made when missing, that only trusted users reach or change (see TrustedPath).
 *
 * Nobody else can put anything into it, nor another folder in its place, so a file there needs no look at its owner. That
 * holds while nobody opens it up: so it is looked at again when a hundredth of a second has passed since the last time, and
 * while it is not as it has to be, nothing is read or written. Where others may look into it (as when it was there already,
 * 0755), the folders in it may have been opened up as well, so each file that is read is looked at, and its folder.
 */
final class GuardedFolder
{
    private const NANOSECONDS_BETWEEN_CHECKS = 10_000_000;
    private const OTHERS_ENTER = 0o011;

    public readonly string $path;
    /** By hrtime(), until when a file in it may be read without a question; 0 where each is to be asked about. */
    public int $safeUntil = 0;
    private int $nextCheck = 0;
    /** Whether nobody else gets to what is in it. */
    private bool $isPrivate = false;

    /** @throws StoreUnavailable when it cannot be made or written, or is not as it has to be */
    public function __construct(private readonly string $store, string $directory, string $namespace)
    {
        $path = TrustedPath::check($store, $directory . '/' . $namespace);
        $isThere = Quietly::run(static fn(): bool => is_dir($path));
        if (!$isThere && !Quietly::run(static fn(): bool => mkdir($path, 0o700, true) || is_dir($path))) {
            throw StoreUnavailable::because($store, \sprintf('the directory %s cannot be made', $path), \sprintf(
                'Make it writable for the user %s: mkdir -p %2$s && chown %1$s %2$s',
                User::name(),
                escapeshellarg($directory),
            ));
        }
        $this->path = $path;
        $isThere ? $this->note() : $this->check();
        if (!is_writable($path)) {
            throw StoreUnavailable::because($store, \sprintf('the directory %s is not writable', $path), \sprintf(
                'Let the user %s write there: chown -R %1$s %2$s',
                User::name(),
                escapeshellarg($path),
            ));
        }
    }

    /** Whether a file in a folder of this one may be read, or written. */
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

        return $this->isPrivate || TrustedPath::isOurs($folder) && (!self::othersEnter($folder) || TrustedPath::isOurs($file));
    }

    private function check(): void
    {
        $this->nextCheck = 0;
        $this->safeUntil = 0;
        TrustedPath::check($this->store, $this->path);
        $this->note();
    }

    private function note(): void
    {
        $this->isPrivate = !self::othersEnter($this->path);
        $this->nextCheck = (int) hrtime(true) + self::NANOSECONDS_BETWEEN_CHECKS;
        $this->safeUntil = $this->isPrivate ? $this->nextCheck : 0;
    }

    /** @return bool false also for what is not there: it is made so that they do not */
    private static function othersEnter(string $path): bool
    {
        return ((int) Quietly::run(static fn(): int|false => fileperms($path)) & self::OTHERS_ENTER) !== 0;
    }
}
