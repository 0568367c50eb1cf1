<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;

/** Tests how many processes can attach to one cache, and what happens to the others. */
final class AttachTest extends EngineTestCase
{
    public function testConcurrentWorkersCreateOneSegment(): void
    {
        $log = $this->sandbox->folder() . '/errors';
        $fpm = $this->fpm(workers: 12, ini: ['log_errors' => 1, 'error_log' => $log, 'larder.size' => '32M']);
        $code = 'larder_increment("count"); return larder_info()["reason"];';
        self::assertSame(array_fill(0, 12, ''), $this->ask($fpm, 12, $this->sandbox->meeting(12) . $code), 'nobody is refused');
        self::assertSame(array_fill(0, 12, ''), $this->ask($fpm, 12, $this->sandbox->meeting(12) . $code));
        self::assertSame(24, $fpm->run('return larder_fetch("count");'), 'they did not all count in one segment');
        self::assertFileDoesNotExist($log);
        self::assertSame(12, $fpm->figure('processes', 'attached'));
        self::assertCount(1, $this->sandbox->segments());
        self::assertSame(['.', '..', basename($this->sandbox->segments()[0])], scandir($this->sandbox->segmentFolder()));
    }

    public function testProcessOverTheLimitHasNoCacheAndSaysWhy(): void
    {
        $log = $this->sandbox->folder() . '/errors';
        $ini = ['larder.processes' => 2, 'log_errors' => 1, 'error_log' => $log];
        $first = $this->sandbox->commandLine(ini: $ini);
        $second = $this->sandbox->commandLine(ini: $ini);
        $site = $this->sandbox->fpm(ini: $ini);
        $look = 'return [larder_store("value", 1), larder_fetch("value", "none"), larder_info()["reason"]];';
        self::assertSame([[true, 1, ''], [true, 1, '']], [$first->run($look), $second->run($look)]);

        $reason = "all 2 process records of {$this->sandbox->segments()[0]} are taken; raise larder.processes";
        for ($i = 0; $i < 3; ++$i) {
            self::assertSame([false, 'none', $reason], $site->run($look));
        }
        self::assertSame(1, substr_count((string) file_get_contents($log), "larder: no cache is available in this process: $reason"));

        $second->kill();
        self::assertSame([true, 1, ''], $site->run($look));
    }

    public function testStartedProgramsInheritNothing(): void
    {
        $fpm = $this->fpm(workers: 1);
        $held = $fpm->run(<<<'PHP'
            larder_store('value', str_repeat('value ', 1_000));
            $held = larder_fetch('value');
            $look = 'ls -l /proc/self/fd; cat /proc/self/maps';
            $program = proc_open(['sh', '-c', $look], [1 => ['pipe', 'w']], $pipes);
            return [shell_exec($look), stream_get_contents($pipes[1])];
            PHP);
        self::assertIsArray($held);
        foreach ($held as $printed) {
            self::assertIsString($printed);
            self::assertStringContainsString('/libc', $printed);
            self::assertStringNotContainsString($this->sandbox->memory . '/larder-', $printed);
        }
        self::assertCount(4, $this->sandbox->heldBy($fpm->number('larder_exists("value"); return getmypid();')), 'the control: the worker itself');
    }

    /** @param array<string, string|int> $ini */
    private function fpm(int $workers, array $ini = []): Fpm
    {
        return $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, workers: $workers)], $ini);
    }

    /** @return list<mixed> answers of this many parallel requests */
    private function ask(Fpm $fpm, int $times, string $code): array
    {
        $requests = [];
        for ($i = 0; $i < $times; ++$i) {
            $requests[] = $fpm->begin($code);
        }

        return array_map($fpm->end(...), $requests);
    }
}
