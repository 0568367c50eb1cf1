<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Promises;

use Larder\ProjectTests\Engine\EngineTestCase;
use Larder\ProjectTests\Engine\Fpm;
use Larder\ProjectTests\Engine\NoAnswer;
use Larder\ProjectTests\Engine\User;
use Larder\Tool\Server\PhpFpmPool;
use Symfony\Component\Process\Process;

/** Code that runs in the middle of a call of the cache may call the cache, and finds it usable. */
final class ReentranceTest extends EngineTestCase
{
    private const UNIT = 'calls back from the middle of a call, each of all functions';

    public function testWhoeverIsCalledFromTheMiddleFindsItUsable(): void
    {
        $rounds = ['ROUNDS' => (string) Proof::amount(20, 500)];
        $calls = [];
        $wrong = 0;
        foreach (['php', 'igbinary'] as $serializer) {
            $fpm = $this->sandbox->fpm(ini: ['larder.serializer' => $serializer]);
            $fpm->run(CallingBack::STORE_UNKNOWN);
            [$called, $found] = self::seen($fpm->run($this->everything() . strtr(CallingBack::HOOKS, $rounds) . 'ob_end_clean(); return seen();'));
            self::assertSame([], array_diff(
                ['__serialize', '__unserialize', '__sleep', '__wakeup', '__destruct', '__serialize that throws', '__unserialize that throws', '__toString of a key', 'an autoloader', 'an error handler', 'an output callback'],
                array_keys($called),
            ), "$serializer: these did not call");
            self::assertSame([], \array_slice($found, 0, 5), $serializer);
            $calls[] = array_sum($called);
            $wrong += \count($found);
        }
        Proof::record('reentrance.hooks', array_sum($calls), self::UNIT, $wrong, [
            'from' => '__serialize, __unserialize, __sleep, __wakeup, destructors, exceptions in them, __toString, autoloaders, error handlers, output callbacks',
        ]);
    }

    /** The control: APCu waits for itself for ever. */
    public function testWhereACallHoldsALockItNeverReturns(): void
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
        } catch (NoAnswer) {
            $hangs = 1;
        }
        if ($hangs === 0) {
            self::markTestSkipped('this APCu does not hold its lock while it unserializes'); // from 2026 on
        }
        Proof::control('reentrance.hooks', 'APCu: __wakeup stores while APCUIterator unserializes; it never returns', 1, $hangs);
    }

    public function testAHandlerOfSignalsFindsItUsable(): void
    {
        $php = $this->sandbox->commandLine();
        $php->begin($this->everything() . strtr(CallingBack::SIGNALS, ['SECONDS' => (string) Proof::amount(0.5, 30)]) . 'return seen();');
        [$called, $wrong] = self::seen($php->end(60));
        Proof::record('reentrance.signals', array_sum($called), self::UNIT . ', from handlers of signals', \count($wrong));
    }

    public function testWhatRunsAfterATimeoutFindsItUsable(): void
    {
        $fpm = $this->sandbox->fpm([new PhpFpmPool('www', ['max_execution_time' => 1], User::site()->name, workers: 1)], ['larder.serializer' => 'php']);
        $notes = $this->sandbox->folder();
        $calls = $wrong = 0;
        for ($i = 0; $i < 2; ++$i) { // one after the other: both use the same keys
            $request = $fpm->begin($this->everything() . strtr(CallingBack::TIMEOUT, ['PLACE' => (string) $i, 'NOTES' => "$notes/$i"]));
            self::assertStringContainsString('Maximum execution time', self::error($fpm, $request));
            [$called, $found] = self::seen(unserialize((string) file_get_contents("$notes/$i"), ['allowed_classes' => false]));
            $calls += array_sum($called);
            $wrong += \count($found);
        }
        self::assertTrue($fpm->run('return larder_store("outer", 1) && larder_fetch("outer") === 1;'));
        Proof::record('reentrance.timeouts', $calls, self::UNIT . ', after max_execution_time ended a script in the middle of serializing', $wrong);
    }

    private function everything(): string
    {
        return \sprintf('require_once %s;', var_export($this->sandbox->write('everything.php', CallingBack::EVERYTHING), true));
    }

    private static function error(Fpm $fpm, Process $request): string
    {
        try {
            $fpm->end($request);
        } catch (NoAnswer $end) {
            return $end->getMessage();
        }

        return 'none';
    }

    /** @return array{array<string, int>, list<string>} calls by place, and what was wrong */
    private static function seen(mixed $answer): array
    {
        self::assertIsArray($answer);
        /** @var array{array<string, int>, list<string>} $answer */
        return $answer;
    }
}
