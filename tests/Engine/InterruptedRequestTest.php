<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\DataProvider;

/** Requests that end early leave the cache intact, and no page held. */
final class InterruptedRequestTest extends EngineTestCase
{
    /** Holds values of one page and of many, checks them, and stores in an endless loop. */
    private const HOLD_AND_STORE = <<<'PHP'
        larder_store('held', $expected = str_repeat('held ', 5_000));
        larder_store('held long', $expectedLong = str_repeat('held long ', 20_000));
        $held = [larder_fetch('held'), larder_fetch('held long')];
        for ($i = 0; microtime(true) < $_SERVER['REQUEST_TIME_FLOAT'] + SECONDS && !(ENOUGH); ++$i) {
            larder_store('stored ' . $i % 50, str_repeat("$i ", 1 + $i % 20_000));
            if ($held !== [$expected, $expectedLong]) {
                return 'a held value has changed';
            }
            PAUSE;
        }
        return 'held all the time';
        PHP;

    private CommandLine $observer;

    protected function setUp(): void
    {
        parent::setUp();
        $this->observer = $this->sandbox->commandLine(ini: ['larder.zero_copy' => '0']);
        $this->observer->run('larder_store("kept", [1, "value"]);');
    }

    public function testWorkerTerminatedForTimeoutLeavesTheCacheWhole(): void
    {
        $fpm = $this->fpm(directives: ['request_terminate_timeout' => '1s']);
        $worker = $this->attachedWorker($fpm);
        $request = $fpm->begin($this->holdAndStore(seconds: 60));
        Wait::until(fn(): bool => $this->pagesHeld() > 0 || !Processes::lives($worker), 'the worker holds its values');
        Wait::until(static fn(): bool => !Processes::lives($worker), 'the worker has ended');
        $request->stop(0.0);

        self::assertStringContainsString('execution timed out', $fpm->log());
        $this->assertFine($fpm, attached: 1);
    }

    public function testWorkerStoppedForTheSlowLogLeavesTheCacheWhole(): void
    {
        $log = $this->sandbox->folder() . '/slow.log';
        $fpm = $this->fpm(directives: ['request_slowlog_timeout' => '1s', 'slowlog' => $log]);
        $worker = $this->attachedWorker($fpm);
        $answer = $fpm->run($this->holdAndStore(seconds: 60, enough: "clearstatcache() || filesize('$log') > 0"));

        if (str_contains($fpm->log(), 'ptrace')) {
            self::markTestSkipped('FPM may not trace its workers here');
        }
        self::assertSame('held all the time', $answer);
        self::assertStringContainsString('script_filename = ', (string) file_get_contents($log));
        self::assertSame($worker, $fpm->pid());
        $this->assertFine($fpm, attached: 2);
    }

    public function testScriptTimeoutLeavesTheCacheWhole(): void
    {
        $fpm = $this->fpm(['max_execution_time' => 1]);
        $worker = $this->attachedWorker($fpm);

        $this->assertEndsWith('Maximum execution time of 1 second exceeded', $fpm, $this->holdAndStore(seconds: 60, pause: ''));
        self::assertSame($worker, $fpm->pid());
        $this->assertFine($fpm, attached: 2);
    }

    /** @return iterable<string, array{string}> */
    public static function exhausting(): iterable
    {
        // When it begins, only these bytes are free.
        $little = <<<'PHP'
            for ($i = 0; $i < 2_000; ++$i) {
                $rows[] = ['id' => $i, 'name' => "name of $i"];
            }
            ini_set('memory_limit', (string) memory_get_usage(true));
            while (memory_get_usage() < memory_get_usage(true) - 100_000) {
                $ballast[] = str_repeat('x', 10_000);
            }
            PHP;
        yield 'while objects are serialized' => ["$little larder_store('kept', [\$rows, new stdClass(), str_repeat('long ', 10_000)]);"];
        yield 'in an object\'s own serializing' => [<<<'PHP'
            class Greedy { public function __serialize(): array { return str_split(str_repeat('a', 1 << 30)); } }
            larder_store('kept', [1, new Greedy()]);
            PHP];
        yield 'while an array is copied out' => ["ini_set('larder.zero_copy', '0'); $little larder_store('rows', \$rows); larder_fetch('rows');"];
        yield 'while a string is copied out' => ["ini_set('larder.zero_copy', '0'); \$string = str_repeat('long ', 100_000); $little larder_store('string', \$string); larder_fetch('string');"];
        yield 'while many values are copied out' => ["ini_set('larder.zero_copy', '0'); larder_store('rows', range(1, 5_000)); larder_fetch_multiple(range(1, 10)); while (true) { \$all[] = larder_fetch_multiple(['rows', 'none', 'held']); }"];
    }

    #[DataProvider('exhausting')]
    public function testScriptOutOfMemoryLeavesTheCacheWhole(string $code): void
    {
        $fpm = $this->fpm(ini: ['memory_limit' => '128M']);
        $worker = $this->attachedWorker($fpm);
        $fpm->run('larder_store("held", str_repeat("held ", 5_000));');
        for ($i = 0; $i < 3; ++$i) {
            $this->assertEndsWith('Allowed memory size', $fpm, "\$held = larder_fetch('held');\n$code");
        }
        self::assertSame($worker, $fpm->pid());
        $this->assertFine($fpm, attached: 2);
    }

    public function testLargeArrayIsStoredWithLittleMemoryLeft(): void
    {
        $fpm = $this->fpm();
        $this->attachedWorker($fpm);
        self::assertTrue($fpm->run(<<<'PHP'
            for ($i = 0; $i < 2_000; ++$i) {
                $many[] = ['id' => $i, 'name' => "name of $i"];
            }
            ini_set('memory_limit', (string) memory_get_usage(true));
            return larder_store('large', $many) && larder_fetch('large') === $many;
            PHP));
        $this->assertFine($fpm, attached: 2);
    }

    public function testScriptsThatExitLeaveTheCacheWhole(): void
    {
        $fpm = $this->fpm();
        $worker = $this->attachedWorker($fpm);
        $this->observer->run('larder_store("held", str_repeat("held ", 5_000));');
        $code = <<<'PHP'
            class Leaving {
                public function __construct(public $held) {}
                public function __serialize(): array { echo 'serialize,'; exit; }
                public function __destruct() { larder_store('destructor', $this->held); echo 'destructor,'; exit; }
            }
            $leaving = new Leaving(larder_fetch('held'));
            register_shutdown_function(function () { larder_store('first', larder_fetch('held')); echo 'first,'; exit; });
            register_shutdown_function(function () { larder_store('second', larder_fetch('held')); echo 'second,'; exit; });
            larder_store('kept', [$leaving]);
            echo 'not reached';
            PHP;
        for ($i = 0; $i < 5; ++$i) {
            $response = $fpm->server->response($fpm->begin($code));
            self::assertSame('serialize,destructor,first,', $response->body);
        }
        self::assertSame(
            [true, false, true],
            $this->observer->run('return array_map(larder_exists(...), ["first", "second", "destructor"]);'),
        );
        self::assertSame($worker, $fpm->pid());
        $this->assertFine($fpm, attached: 2);
    }

    public function testReplacedWorkersLeaveTheCacheWhole(): void
    {
        $fpm = $this->fpm(directives: ['pm.max_requests' => '3']);
        $code = 'larder_store("held", str_repeat("held ", 5_000)); $held = larder_fetch("held"); return [getmypid(), larder_info()["processes"]["mine"]];';
        $workers = $records = [];
        for ($i = 0; $i < 60; ++$i) {
            [$workers[], $records[]] = (array) $fpm->run($code);
        }
        self::assertCount(20, array_unique($workers, \SORT_REGULAR), 'the control: workers were replaced');
        self::assertLessThan(4, max([0, ...$records]));
        $this->assertFine($fpm, attached: 1); // the last one has served its third request, too
    }

    /** A debugger, a slow disk or the kernel's freezer can stop it like this. */
    public function testWorkerStoppedDuringStoresBlocksNobody(): void
    {
        $fpm = $this->fpm();
        $worker = $this->attachedWorker($fpm);
        $end = $this->sandbox->folder() . '/end';
        $request = $fpm->begin($this->holdAndStore(seconds: 150, pause: '', enough: "file_exists('$end')"));
        Wait::until(fn(): bool => $this->pagesHeld() > 0, 'the worker holds its values');
        for ($i = 0; $i < 10; ++$i) {
            posix_kill($worker, \SIGSTOP);
            Wait::until(static fn(): bool => str_contains((string) file_get_contents("/proc/$worker/stat"), ') T '), 'the worker is stopped');
            self::assertSame([1, 'value'], $this->observer->run('return larder_fetch("kept");'));
            self::assertTrue($this->observer->run('return larder_store("new", str_repeat("new ", 5_000));'));
            self::assertNotSame(0, $this->observer->run('$stored = 0; for ($i = 0; $i < 50; ++$i) { $stored += larder_store("stored $i", "$i"); } return $stored;'));
            posix_kill($worker, \SIGCONT);
            usleep(random_int(0, 2_000));
        }
        touch($end);
        self::assertSame('held all the time', $fpm->end($request));
        $this->assertFine($fpm, attached: 2);
    }

    /** @param string $enough condition to end before the seconds are over */
    private function holdAndStore(float $seconds, string $pause = 'usleep(50)', string $enough = 'false'): string
    {
        return strtr(self::HOLD_AND_STORE, ['SECONDS' => (string) $seconds, 'PAUSE' => $pause, 'ENOUGH' => $enough]);
    }

    /**
     * @param array<string, string|int> $ini
     * @param array<string, string|int> $directives
     */
    private function fpm(array $ini = [], array $directives = []): Fpm
    {
        return $this->sandbox->fpm([new PhpFpmPool('www', $ini, User::site()->name, directives: $directives)]);
    }

    private function attachedWorker(Fpm $fpm): int
    {
        return $fpm->number('larder_exists("key"); return getmypid();');
    }

    private function pagesHeld(): int
    {
        return $this->observer->number('return array_sum(array_column(larder_info()["processes"]["holders"], "pages"));');
    }

    private function assertEndsWith(string $error, Fpm $fpm, string $code): void
    {
        try {
            $answer = $fpm->run($code);
        } catch (PhpFailed $end) {
            self::assertStringContainsString($error, $end->getMessage());
            Wait::until(fn(): bool => $this->pagesHeld() === 0, 'nothing is held, before another request begins');

            return;
        }
        self::fail('the request came to its end: ' . var_export($answer, true));
    }

    private function assertFine(Fpm $fpm, int $attached): void
    {
        self::assertSame(0, $this->pagesHeld());
        Wait::until(fn(): bool => $this->observer->figure('processes', 'attached') === $attached, "$attached processes are attached");
        self::assertTrue($this->observer->run('return larder_store("after", [1, "value"]);'));
        self::assertSame([1, 'value'], $fpm->run('return larder_fetch("after");'));
        Capacity::assertIsWhole($this->observer, $this->sandbox);
    }
}
