<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\Group;
use Symfony\Component\Process\Process;

/** Code that runs in the middle of a call of the cache may call the cache, and it works. */
#[Group('proof')]
final class ReentranceTest extends EngineTestCase
{
    private const UNIT = 'calls back from the middle of a call, each of all functions';
    private const LOCKS = 'a build in which a store keeps out whoever comes before it returns, as a lock does';

    public function testCallbacksCanUseTheCache(): void
    {
        [$calls, $wrong] = $this->callFromHooks(Proof::amount(20, 500));
        self::assertSame([], \array_slice($wrong, 0, 5));
        Proof::record('reentrance.hooks', $calls, self::UNIT, self::callsIn($wrong), [
            'from' => '__serialize, __unserialize, __sleep, __wakeup, destructors, exceptions in them, __toString, autoloaders, error handlers, output callbacks',
        ]);
    }

    public function testCallbacksAreBlockedByALockingStore(): void
    {
        $this->useCarelessBuild();
        [$calls, $wrong] = $this->callFromHooks(1);
        Proof::control('reentrance.hooks', self::LOCKS, $calls, self::callsIn($wrong));
    }

    /** @return array{int, list<string>} number of nested calls, and their errors */
    private function callFromHooks(int $rounds): array
    {
        $calls = 0;
        $wrong = [];
        foreach (['php', 'igbinary'] as $serializer) {
            $fpm = $this->sandbox->fpm(ini: ['larder.serializer' => $serializer]);
            $fpm->run(ReentrantCode::STORE_UNKNOWN);
            [$called, $found] = self::seen($fpm->run($this->everything() . strtr(ReentrantCode::HOOKS, ['ROUNDS' => (string) $rounds]) . 'ob_end_clean(); return seen();'));
            self::assertSame([], array_diff(
                ['__serialize', '__unserialize', '__sleep', '__wakeup', '__destruct', '__serialize that throws', '__unserialize that throws', '__toString of a key', 'an autoloader', 'an error handler', 'an output callback'],
                array_keys($called),
            ), "$serializer: these did not call");
            $calls += array_sum($called);
            foreach ($found as $one) {
                $wrong[] = "$serializer: $one";
            }
        }

        return [$calls, $wrong];
    }

    /** The control: APCu deadlocks with itself. */
    public function testApcuDeadlocksInACallback(): void
    {
        $apcu = $this->sandbox->commandLine(ini: ['apc.enable_cli' => 1]);
        $apcu->begin(<<<'PHP'
            class Waking { public function __wakeup(): void { apcu_store('other', 1); } }
            apcu_store('waking', new Waking());
            foreach (new APCUIterator('/^waking$/', APC_ITER_VALUE) as $entry) {
            }
            PHP);
        $hangs = 0;

        try {
            $apcu->end(1);
        } catch (PhpFailed) {
            $hangs = 1;
        }
        if ($hangs === 0) {
            self::markTestSkipped('this APCu does not hold its lock while it unserializes'); // APCu since 2026
        }
        Proof::control('reentrance.hooks', 'APCu: __wakeup stores while APCUIterator unserializes; it never returns', 1, $hangs);
    }

    public function testSignalHandlersCanUseTheCache(): void
    {
        [$calls, $wrong] = $this->sendSignals(Proof::amount(0.5, 30));
        Proof::record('reentrance.signals', $calls, self::UNIT . ', from handlers of signals', $wrong);
    }

    public function testSignalHandlersAreBlockedByALockingStore(): void
    {
        $this->useCarelessBuild();
        [$calls, $wrong] = $this->sendSignals(0.5);
        Proof::control('reentrance.signals', self::LOCKS, $calls, $wrong);
    }

    /** @return array{int, int} number of nested calls, and how many of them failed */
    private function sendSignals(float $seconds): array
    {
        $php = $this->sandbox->commandLine();
        $php->begin($this->everything() . strtr(ReentrantCode::SIGNALS, ['SECONDS' => (string) $seconds]) . 'return seen();');
        [$called, $wrong] = self::seen($php->end(60));

        return [array_sum($called), self::callsIn($wrong)];
    }

    public function testCacheIsUsableAfterATimeout(): void
    {
        [$calls, $wrong, $usable] = $this->runIntoTimeouts();
        self::assertTrue($usable, 'the next request of the worker');
        Proof::record('reentrance.timeouts', $calls, self::UNIT . ', after max_execution_time ended a script in the middle of serializing', $wrong);
    }

    public function testCacheIsBlockedAfterATimeoutByALockingStore(): void
    {
        $this->useCarelessBuild();
        [$calls, $wrong] = $this->runIntoTimeouts();
        Proof::control('reentrance.timeouts', self::LOCKS, $calls, $wrong);
    }

    /**
     * @return array{int, int, bool} number of nested calls, how many of them failed, and true if the worker's next
     *         request can store
     */
    private function runIntoTimeouts(): array
    {
        $fpm = $this->sandbox->fpm([new PhpFpmPool('www', ['max_execution_time' => 1], User::site()->name)], ['larder.serializer' => 'php']);
        $notes = $this->sandbox->folder();
        $calls = $wrong = 0;
        for ($i = 0; $i < 2; ++$i) { // one after the other, because both use the same keys
            $request = $fpm->begin($this->everything() . strtr(ReentrantCode::TIMEOUT, ['PLACE' => (string) $i, 'NOTES' => "$notes/$i"]));
            self::assertStringContainsString('Maximum execution time', self::error($fpm, $request));
            [$called, $found] = self::seen(unserialize((string) file_get_contents("$notes/$i"), ['allowed_classes' => false]));
            $calls += array_sum($called);
            $wrong += self::callsIn($found);
        }

        return [$calls, $wrong, $fpm->run('return larder_store("outer", 1) && larder_fetch("outer") === 1;') === true];
    }

    private function everything(): string
    {
        return \sprintf('require_once %s;', var_export($this->sandbox->write('everything.php', ReentrantCode::EVERYTHING), true));
    }

    private static function error(Fpm $fpm, Process $request): string
    {
        try {
            $fpm->end($request);
        } catch (PhpFailed $end) {
            return $end->getMessage();
        }

        return 'none';
    }

    /** @param list<string> $wrong each is the name of a call, a colon and the name of a function */
    private static function callsIn(array $wrong): int
    {
        return \count(array_unique(array_map(static fn(string $one): string => substr($one, 0, (int) strrpos($one, ':')), $wrong)));
    }

    /** @return array{array<string, int>, list<string>} number of calls by place, and errors */
    private static function seen(mixed $answer): array
    {
        self::assertIsArray($answer);
        /** @var array{array<string, int>, list<string>} $answer */
        return $answer;
    }
}
