<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\System;

use Larder\Cli\System\CpuAffinity;
use Larder\Cli\System\FileSystem;
use Larder\Cli\System\Machine;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class MachineTest extends TestCase
{
    /** @param list<string> $extensions */
    #[TestWith([['Core', 'Xdebug'], '-1', 1])]
    #[TestWith([['Core'], '1', 1])]
    #[TestWith([['Core', 'xdebug'], '1', 2])]
    #[TestWith([['Core', 'apcu'], '0', 0])]
    #[TestWith([['Core'], '-1', 0])]
    public function testObstaclesToMeasuringAreReported(array $extensions, string $assertions, int $obstacles): void
    {
        self::assertCount($obstacles, Machine::obstacles($extensions, $assertions));
    }

    public function testFileSystemTypesAreRecognized(): void
    {
        self::assertSame('proc', FileSystem::type('/proc/self'));
        self::assertSame('tmpfs', FileSystem::type(FileSystem::tmpfs()));
        self::assertNotSame('tmpfs', FileSystem::type(FileSystem::disk()));
    }

    public function testPinnedProcessAndItsChildrenRunOnOneCore(): void
    {
        $code = 'require $argv[1]; $core = Larder\Cli\System\CpuAffinity::pin(); passthru("grep Cpus_allowed_list: '
            . '/proc/self/status"); echo "$core\n";';
        $process = new Process([\PHP_BINARY, '-r', $code, \dirname(__DIR__, 3) . '/vendor/autoload.php']);
        $process->mustRun();
        $cores = CpuAffinity::allowed();
        self::assertMatchesRegularExpression(
            \sprintf('/^Cpus_allowed_list:\s+%1$d\n%1$d\n$/', (int) end($cores)),
            $process->getOutput(),
        );
    }
}
