<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\System;

use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

final class TemporaryDirectoryTest extends TestCase
{
    public function testDirectoryIsPrivateAndRemovedWithItsContents(): void
    {
        $directory = new TemporaryDirectory();
        self::assertSame(0o700, fileperms($directory->path) & 0o777);
        self::assertSame('text', file_get_contents($directory->write('file', 'text')));
        touch($directory->add('folder') . '/file');
        self::assertSame($directory->path . '/folder', $directory->add('folder'));
        $directory->remove();
        self::assertFileDoesNotExist($directory->path);
    }

    public function testForkOfTheCreatorDoesNotRemoveIt(): void
    {
        $directory = new TemporaryDirectory();
        $child = pcntl_fork();
        if ($child === 0) {
            $directory->remove();
            posix_kill((int) getmypid(), \SIGKILL);
        }
        pcntl_waitpid($child, $status);
        self::assertDirectoryExists($directory->path);
    }

    public function testDirectoryOfAKilledProcessIsRemovedByTheNext(): void
    {
        $parent = new TemporaryDirectory();
        $living = new TemporaryDirectory($parent->path);
        $child = pcntl_fork();
        if ($child === 0) {
            $left = new TemporaryDirectory($parent->path);
            $left->write('file', 'text');
            posix_kill((int) getmypid(), \SIGKILL);
        }
        pcntl_waitpid($child, $status);
        self::assertCount(2, (array) glob($parent->path . '/larder-cli-*'));
        $next = new TemporaryDirectory($parent->path);
        self::assertEqualsCanonicalizing([$living->path, $next->path], (array) glob($parent->path . '/larder-cli-*'));
    }

    /** A dangling link simulates a file that its owner removes after it was listed. A warning would fail the test. */
    public function testDirectoryThatIsRemovedMeanwhileIsPassedOver(): void
    {
        $parent = new TemporaryDirectory();
        symlink('nothing', $parent->add('larder-cli-removed') . '/.in-use');
        new TemporaryDirectory($parent->path);
        self::assertDirectoryExists($parent->path . '/larder-cli-removed');
    }

    public function testChildrenDoNotInheritTheLock(): void
    {
        $directory = new TemporaryDirectory();
        self::assertStringNotContainsString($directory->path, (string) shell_exec('ls -l /proc/self/fd'));
        self::assertStringContainsString($directory->path, (string) shell_exec('ls -l /proc/' . getmypid() . '/fd'));
    }

    public function testMissingParentIsReported(): void
    {
        $this->expectExceptionMessage('/no/such/parent: cannot create a directory there');
        new TemporaryDirectory('/no/such/parent');
    }
}
