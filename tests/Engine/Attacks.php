<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

/** Attacks by a user who can write to a segment's folder, so that a site opens the wrong file. */
final class Attacks
{
    /** Opens a file as root, becomes another user and locks a number of bytes. */
    private const LOCK = <<<'PHP'
        static $libc, $file;
        $libc = FFI::cdef('int open(const char *, int); int fcntl(int, int, ...); struct flock { short type, whence; long start, length; int pid; };');
        $file = $libc->open('FILE', 2);
        posix_setgid(ID);
        posix_setuid(ID);
        $lock = $libc->new('struct flock');
        [$lock->type, $lock->start, $lock->length] = [1, 0, BYTES];
        return [posix_geteuid(), $libc->fcntl($file, 6, FFI::addr($lock))];
        PHP;

    private ?CommandLine $locker = null;

    public function __construct(
        private readonly Sandbox $sandbox,
        private readonly string $folder,
        private readonly string $segment,
        private readonly string $elsewhere,
    ) {}

    /**
     * Each attack starts with a correct segment.
     *
     * @return array<string, array{\Closure(): mixed, string}> the attack, and the site's message about it
     */
    public function all(): array
    {
        $stranger = User::stranger();

        return [
            'a symbolic link to a segment' => [fn() => rename($this->segment, "$this->elsewhere/segment") && symlink("$this->elsewhere/segment", $this->segment), 'remove it'],
            'a symbolic link to nothing' => [fn() => unlink($this->segment) && symlink("$this->elsewhere/nothing", $this->segment), 'remove it'],
            'a hard link' => [fn() => link($this->segment, "$this->folder/twin"), 'with one link'],
            'a fifo' => [fn() => unlink($this->segment) && posix_mkfifo($this->segment, 0o600), 'remove it'],
            'a directory' => [fn() => unlink($this->segment) && mkdir($this->segment, 0o700), 'remove it'],
            'a device' => [fn() => unlink($this->segment) && posix_mknod($this->segment, \POSIX_S_IFCHR | 0o600, 1, 5) && chown($this->segment, User::site()->id), 'remove it'],
            'another owner' => [fn() => chown($this->segment, $stranger->id) && chmod($this->segment, 0o666), 'not a private file of user'],
            'another owner, closed' => [fn() => chown($this->segment, $stranger->id), 'Permission denied; remove it'],
            'a mode for the group' => [fn() => chmod($this->segment, 0o660), 'mode 0600'],
            'a mode for all' => [fn() => chmod($this->segment, 0o666), 'mode 0600'],
            'a folder of somebody else' => [fn() => $this->removeFolder() && mkdir($this->folder, 0o777) && chmod($this->folder, 0o777) && chown($this->folder, $stranger->id), 'belongs to user'],
            'a link to a folder of somebody else' => [fn() => rename($this->folder, "$this->elsewhere/folder") && symlink("$this->elsewhere/folder", $this->folder), 'belongs to user'],
            'a file in place of the folder' => [fn() => $this->removeFolder() && touch($this->folder), 'belongs to user'],
            'a fifo in place of the folder' => [fn() => $this->removeFolder() && posix_mkfifo($this->folder, 0o600), 'belongs to user'],
            'a folder that the group may write to' => [fn() => chmod($this->folder, 0o770), 'chmod 700'],
            'a folder exchanged in a parent that the group may write to' => [fn() => $this->exchangeFolder(), 'belongs to user'],
            'another user\'s lock of all records' => [fn() => $this->lock($this->segment, 4_096), 'process records'],
        ];
    }

    private function removeFolder(): bool
    {
        return array_reduce((array) glob("$this->folder/*"), static fn(bool $removed, string|false $file): bool => $removed && unlink((string) $file), true) && rmdir($this->folder);
    }

    /** By another user who is in the group of the parent folder. */
    private function exchangeFolder(): bool
    {
        $group = posix_getpwuid(User::stranger()->id)['gid'] ?? -1;
        $stranger = $this->sandbox->commandLine(User::stranger());
        $exchanged = chmod($this->sandbox->memory, 0o775) && chgrp($this->sandbox->memory, $group)
            && $stranger->run("return rename('$this->folder', '$this->folder.away') && mkdir('$this->folder') && touch('$this->segment');") === true;
        $stranger->finish();

        return $exchanged;
    }

    private function lock(string $file, int $bytes): bool
    {
        $id = User::stranger()->id;
        $locker = $this->locker = $this->sandbox->commandLine(User::current(), ['ffi.enable' => '1']);

        return $locker->run(strtr(self::LOCK, ['FILE' => $file, 'ID' => (string) $id, 'BYTES' => (string) $bytes])) === [$id, 0];
    }

    /** Puts all that was done aside. */
    public function end(): void
    {
        $this->locker?->stop();
        $this->locker = null;
        chmod($this->sandbox->memory, 0o1777);
        foreach ([$this->folder, "$this->folder.away"] as $place) {
            if (is_link($place) || file_exists($place)) {
                rename($place, $this->elsewhere . '/' . bin2hex(random_bytes(4)));
            }
        }
    }
}
