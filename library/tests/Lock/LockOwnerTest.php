<?php

declare(strict_types=1);

namespace Larder\Tests\Lock;

use Larder\Internal\Lock\LockOwner;
use Larder\Internal\Remember\Placeholder;
use Larder\Testing\Fork;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\TestCase;

final class LockOwnerTest extends TestCase
{
    public function testTokensAreUniqueAndNameThisProcess(): void
    {
        $tokens = [LockOwner::token(), LockOwner::token()];

        self::assertNotSame($tokens[0], $tokens[1]);
        foreach ($tokens as $token) {
            self::assertSame((string) posix_getpid(), strstr($token, '.', true));
            self::assertTrue(LockOwner::lives($token));
        }
        self::assertSame(Placeholder::number(), Placeholder::number());
    }

    /** A fork does not use what its parent has cached about itself. */
    public function testForkIsAnotherOwner(): void
    {
        $own = LockOwner::token();
        $number = Placeholder::number();

        /** @var array{string, int, bool|null, bool|null} $fork */
        $fork = Fork::run(static function () use ($own): array {
            $token = LockOwner::token();

            return [$token, Placeholder::number(), LockOwner::lives($token), LockOwner::lives($own)];
        });

        self::assertNotSame(strstr($own, '.', true), strstr($fork[0], '.', true));
        self::assertNotSame($number, $fork[1]);
        self::assertSame([true, true], [$fork[2], $fork[3]]);
        self::assertFalse(LockOwner::lives($fork[0]), 'it has ended');
        self::assertTrue(LockOwner::lives($own));
    }

    /** Containers of one image on two machines have them: the kernel soon reuses a namespace's number. */
    public function testProcessesThatLookAlikeHaveDifferentNumbers(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root makes a pid namespace');
        }
        $code = 'printf("%d %s %s|%d", getmypid(), gethostname(), readlink("/proc/self/ns/pid"), '
            . 'Larder\Internal\Remember\Placeholder::number());';
        $numbers = [];
        do {
            self::assertLessThan(50, \count($numbers, \COUNT_RECURSIVE));
            [$looks, $number] = explode(
                '|',
                PhpProcess::run($code, under: ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc']),
                2,
            );
            $numbers[$looks][] = $number;
        } while (\count($numbers[$looks]) < 2);
        self::assertNotSame(...$numbers[$looks]);
    }

    public function testReusedPidIsNotTheOwner(): void
    {
        $parts = explode('.', LockOwner::token());
        $parts[1] = (string) ((int) $parts[1] - 1);

        self::assertFalse(LockOwner::lives(implode('.', $parts)));
    }

    public function testProcessesOfOtherHostsAreUnknown(): void
    {
        $parts = explode('.', LockOwner::token());
        $parts[2] = strrev($parts[2]) === $parts[2] ? str_repeat('0', 16) : strrev($parts[2]);

        self::assertNull(LockOwner::lives(implode('.', $parts)));
        self::assertNull(LockOwner::lives(LockOwner::anonymousToken()));
    }
}
