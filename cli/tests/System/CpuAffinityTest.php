<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\System;

use Larder\Cli\System\CpuAffinity;
use PHPUnit\Framework\TestCase;

final class CpuAffinityTest extends TestCase
{
    public function testWhatIsStartedPinnedKeepsToOneCoreAndTheStarterDoesNot(): void
    {
        $before = CpuAffinity::allowed();
        if ($before === []) {
            self::markTestSkipped('this system does not tell which cores a process may run on');
        }
        $within = CpuAffinity::pinned(
            static fn(): string => (string) shell_exec('grep Cpus_allowed_list /proc/self/status'),
        );

        self::assertMatchesRegularExpression('/^Cpus_allowed_list:\s*' . end($before) . '$/', trim($within));
        self::assertSame($before, CpuAffinity::allowed());
    }

    public function testStarterIsFreeAgainAfterAFailure(): void
    {
        $before = CpuAffinity::allowed();

        try {
            CpuAffinity::pinned(static fn(): never => throw new \RuntimeException());
        } catch (\RuntimeException) {
        }

        self::assertSame($before, CpuAffinity::allowed());
    }
}
