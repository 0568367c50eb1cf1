<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\DataProvider;

/** The cache outlives its processes, however they end, and keeps nothing that belonged to them. */
final class SurvivalTest extends EngineTestCase
{
    private const WORKERS = 3;

    /** @return iterable<string, array{\Closure(Fpm): void, bool}> event, and true if FPM has ended afterwards */
    public static function events(): iterable
    {
        yield 'reload' => [static fn(Fpm $fpm) => $fpm->server->reload(), false];
        yield 'restart' => [static fn(Fpm $fpm) => Processes::kill($fpm->master(), \SIGTERM), true];
        yield 'graceful restart' => [static fn(Fpm $fpm) => Processes::kill($fpm->master(), \SIGQUIT), true];
        yield 'a worker killed' => [static fn(Fpm $fpm) => Processes::kill($fpm->workers()[0]), false];
        yield 'all workers killed' => [static fn(Fpm $fpm) => Processes::killWorkers($fpm->workers()), false];
        yield 'the master killed, its workers not' => [static fn(Fpm $fpm) => Processes::kill($fpm->master()), true];
        yield 'the master and all workers killed' => [
            static function (Fpm $fpm): void {
                $workers = $fpm->workers();
                Processes::kill($fpm->master());
                Processes::killWorkers($workers);
            },
            true,
        ];
    }

    /** @param \Closure(Fpm): void $event */
    #[DataProvider('events')]
    public function testCacheOutlivesItsProcesses(\Closure $event, bool $ends): void
    {
        $fpm = $this->fpm();
        $fpm->run('for ($i = 0; $i < 100; ++$i) { larder_store("key $i", str_repeat("value $i ", 100)); }');
        $segment = fileinode($this->sandbox->segments()[0]);
        $this->occupyAll($fpm);
        $before = $fpm->workers();
        // Workers of a killed master wait for requests forever.
        $this->sandbox->stopLater(static fn() => Processes::killWorkers($before));

        $event($fpm);
        $fpm = $ends ? $this->fpm() : $fpm;
        // A killed worker stays its master's child until the master notices.
        Wait::until(static fn(): bool => \count($fpm->workers()) === self::WORKERS && $fpm->workers() !== $before, 'there are new workers');

        self::assertSame(100, $fpm->run('$found = 0; for ($i = 0; $i < 100; ++$i) { $found += larder_fetch("key $i") === str_repeat("value $i ", 100); } return $found;'));
        self::assertTrue($fpm->run('return larder_store("key 1", "new value");'));
        self::assertSame('new value', $this->sandbox->commandLine()->run('return larder_fetch("key 1");'));
        self::assertSame($segment, fileinode($this->sandbox->segments()[0]), 'the segment is another one');
    }

    /** Values of all sizes, of one page and of many, whose content shows if they are intact. */
    private const STORE_FOREVER = <<<'PHP'
        for ($i = 0;; ++$i) {
            $value = str_repeat(md5((string) $i), 1 + ($i * 37) % 4000);
            larder_store('torn ' . $i % 10, [$i, $value, ['again' => $value]]);
            larder_increment('count');
        }
        PHP;

    private const COUNT_TORN = <<<'PHP'
        $torn = 0;
        for ($i = 0; $i < 10; ++$i) {
            [$number, $value, $again] = larder_fetch("torn $i") ?? [0, md5('0'), ['again' => md5('0')]];
            $torn += $value !== str_repeat(md5((string) $number), 1 + ($number * 37) % 4000) && $number !== 0 || $again !== ['again' => $value];
        }
        return $torn;
        PHP;

    public function testWorkersKilledDuringStoresLeaveNothingBehind(): void
    {
        $fpm = $this->sandbox->fpm();
        $observer = $this->sandbox->commandLine(ini: ['larder.zero_copy' => '0']);
        $observer->run('larder_store("kept", "value");');
        $swept = $observer->figure('processes', 'reaped');
        $rounds = 20;
        for ($round = 1; $round <= $rounds; ++$round) {
            $worker = $fpm->number('larder_exists("key"); return getmypid();');
            self::assertSame(2, $observer->figure('processes', 'attached'), 'the control: the worker counts');
            $stores = $observer->figure('stores');
            $request = $fpm->begin(self::STORE_FOREVER);
            Wait::until(fn(): bool => $observer->figure('stores') > $stores + 50, 'the worker stores');
            usleep(random_int(0, 2_000));
            Processes::kill($worker);
            $request->stop(0.0);

            self::assertSame(1, $observer->figure('processes', 'attached'));
            self::assertSame($swept + $round, $observer->figure('processes', 'reaped'));
            self::assertSame(0, $observer->run(self::COUNT_TORN));
            self::assertIsInt($observer->run('return larder_increment("count");'), 'a counter that the dead one counted up');
            self::assertTrue($observer->run('return larder_store("torn 3", [0, "", ["again" => ""]]);'));
        }
        self::assertLessThan(4, $fpm->figure('processes', 'mine'), 'records of the dead are used again');
        Capacity::assertIsWhole($observer, $this->sandbox);
    }

    public function testKilledWorkerReleasesHeldValues(): void
    {
        $fpm = $this->sandbox->fpm();
        $observer = $this->sandbox->commandLine(ini: ['larder.zero_copy' => '0']);
        $worker = $fpm->number('larder_exists("key"); return getmypid();');
        $request = $fpm->begin(<<<'PHP'
            for ($i = 0; $i < 20; ++$i) {
                larder_store("held $i", str_repeat("$i", 30_000));
                $held[] = larder_fetch("held $i");
            }
            larder_store('ready', true);
            sleep(60);
            PHP);
        Wait::until(static fn(): bool => $observer->run('return larder_exists("ready");') === true, 'the worker holds its values');
        $holds = 'return array_sum(array_column(larder_info()["processes"]["holders"], "pages"));';
        self::assertGreaterThanOrEqual(10, $observer->number($holds), 'the control: it holds pages');

        Processes::kill($worker);
        $request->stop(0.0);
        self::assertSame(0, $observer->number($holds));
        Capacity::assertIsWhole($observer, $this->sandbox);
    }

    private function fpm(): Fpm
    {
        return $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, workers: self::WORKERS)]);
    }

    /** When this returns, all workers are attached and busy. */
    private function occupyAll(Fpm $fpm): void
    {
        $requests = [];
        $code = $this->sandbox->meeting(self::WORKERS) . 'larder_exists("key"); return getmypid();';
        for ($i = 0; $i < self::WORKERS; ++$i) {
            $requests[] = $fpm->begin($code);
        }
        self::assertCount(self::WORKERS, array_unique(array_map(static fn($request): string => serialize($fpm->end($request)), $requests)));
    }
}
