<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;
use Symfony\Component\Filesystem\Filesystem;

/**
 * Processes that run forever, such as queue workers and daemons. They never report the end of a request to the engine.
 */
final class LongLivedTest extends EngineTestCase
{
    /** Keeps all values that it ever fetched, and checks them again. */
    private const COLLECT = <<<'PHP'
        for ($i = 0; $i < 100; ++$i) {
            $number = count($kept ?? []);
            larder_store("collected $number", str_repeat("$number ", 5_000));
            $kept[$number] = larder_fetch("collected $number");
        }
        $changed = 0;
        foreach ($kept as $number => $value) {
            $changed += $value !== str_repeat("$number ", 5_000);
        }
        return $changed;
        PHP;

    public function testHoldersOfManyValuesDoNotStopOthers(): void
    {
        $collectors = [$this->sandbox->commandLine(), $this->sandbox->commandLine(), $this->sandbox->commandLine()];
        $site = $this->sandbox->fpm();
        for ($round = 0; $round < 5; ++$round) {
            foreach ($collectors as $collector) {
                self::assertSame(0, $collector->run(self::COLLECT));
            }
            self::assertSame(0, $site->run('for ($i = 0, $refused = 0; $i < 500; ++$i) { $refused += !larder_store("$i", str_repeat("$i ", 10_000)); } return $refused;'));
            self::assertLessThanOrEqual($site->figure('pins', 'long_lived_limit') + \count($collectors), $site->figure('pins', 'long_lived'));
        }
        self::assertLessThanOrEqual($site->figure('memory', 'pages') / 8, $site->figure('pins', 'long_lived_limit'));
        // the control: they hold as much as they may, and got copies of the rest; a request may hold more
        self::assertGreaterThanOrEqual($site->figure('pins', 'long_lived_limit') - 1, $site->figure('pins', 'long_lived'));
        self::assertGreaterThan(1_000, $site->figure('copies'));
        self::assertGreaterThan($site->figure('pins', 'long_lived_limit'), $site->number('for ($i = 0; $i < 60; ++$i) { larder_store("$i", str_repeat("$i ", 10_000)); $kept[] = larder_fetch("$i"); } return larder_info()["pins"]["mine"];'));

        foreach ($collectors as $collector) {
            $collector->finish();
        }
        Capacity::assertIsWhole($site, $this->sandbox);
    }

    /** @return iterable<string, array{\Closure(string): mixed}> */
    public static function removals(): iterable
    {
        yield 'the file' => [static fn(string $segment) => unlink($segment)];
        yield 'the folder with all files' => [static fn(string $segment) => (new Filesystem())->remove(\dirname($segment))];
        yield 'the header' => [static fn(string $segment) => (new \SplFileObject($segment, 'r+'))->fwrite(str_repeat("\0", 64))];
    }

    /** @param \Closure(string): mixed $remove */
    #[DataProvider('removals')]
    public function testRemovedSegmentIsReplacedForAll(\Closure $remove): void
    {
        $worker = $this->sandbox->commandLine();
        $site = $this->sandbox->fpm();
        $worker->run('larder_store("value", str_repeat("old ", 1_000)); $kept = larder_fetch("value"); larder_store("long", str_repeat("long ", 50_000)); $keptLong = larder_fetch("long");');
        self::assertSame(4_000, $site->run('return strlen(larder_fetch("value"));'));
        [$segment] = $this->sandbox->segments();
        $inode = fileinode($segment);

        $remove($segment);
        $late = $this->sandbox->commandLine(); // it creates the new segment
        self::assertTrue($late->run('return larder_store("value", "new");'));
        clearstatcache();
        self::assertNotSame($inode, fileinode($segment));

        $look = 'for ($i = 0; $i < 16; ++$i) { $found = larder_fetch("value"); } return $found;';
        Wait::until(static fn(): bool => $worker->run($look) === 'new', 'the worker finds the new segment');
        Wait::until(static fn(): bool => $site->run($look) === 'new', 'the site finds the new segment');

        $late->run('for ($i = 0; $i < 1_000; ++$i) { larder_store("$i", str_repeat("$i ", 10_000)); }');
        self::assertTrue($worker->run('return $kept === str_repeat("old ", 1_000) && $keptLong === str_repeat("long ", 50_000);'));
        self::assertTrue($worker->run('return larder_store("value", "from the worker");'));
        self::assertSame(['from the worker', 'from the worker'], [$late->run($look), $site->run($look)]);
        self::assertSame(3, $late->figure('processes', 'attached'));
    }

    public function testWorkerRecreatesTheSegmentAlone(): void
    {
        $worker = $this->sandbox->commandLine();
        $worker->run('larder_store("value", str_repeat("old ", 1_000)); $kept = larder_fetch("value");');
        [$segment] = $this->sandbox->segments();
        unlink($segment);

        Wait::until(static fn(): bool => $worker->run('for ($i = 0; $i < 16; ++$i) { larder_store("new", 1); } return true;') === true && file_exists($segment), 'there is a segment again');
        self::assertTrue($worker->run('return $kept === str_repeat("old ", 1_000);'));
        self::assertSame(1, $this->sandbox->commandLine()->run('return larder_fetch("new");'));
    }

    public function testForkedChildrenKeepHeldValues(): void
    {
        $parent = $this->sandbox->commandLine();
        $observer = $this->sandbox->commandLine(ini: ['larder.zero_copy' => '0']);
        $notes = $this->sandbox->folder();
        self::assertSame('whole', $parent->run(<<<PHP
            for (\$i = 0; \$i < 5; ++\$i) {
                larder_store("held \$i", str_repeat("held \$i ", 2_000));
                \$held[] = larder_fetch("held \$i");
            }
            \$children = [];
            for (\$child = 0; \$child < 3; ++\$child) {
                if ((\$children[] = pcntl_fork()) === 0) {
                    // One child works, one only keeps, one ends at once.
                    for (\$i = 0; \$child === 0 && !file_exists('$notes/end'); ++\$i) {
                        larder_store("of a child " . \$i % 20, str_repeat("\$i ", 5_000)) || touch('$notes/refused');
                        \$more[\$i % 5] = larder_fetch("of a child " . \$i % 20);
                        usleep(500);
                    }
                    while (\$child === 1 && !file_exists('$notes/end')) {
                        usleep(500);
                    }
                    for (\$i = 0, \$whole = 'whole'; \$i < 5; ++\$i) {
                        \$whole = \$held[\$i] === str_repeat("held \$i ", 2_000) ? \$whole : 'changed';
                    }
                    file_put_contents("$notes/child \$child", \$whole);
                    exit;
                }
            }
            pcntl_waitpid(\$children[2], \$status);
            return file_get_contents('$notes/child 2');
            PHP));
        // Parent, working child and observer have their own records; nobody uses the shared one.
        $parent->run('$mine = larder_info()["processes"]["mine"]; larder_store("of the parent", 1); $again = larder_fetch("held 1");');
        Wait::until(static fn(): bool => $observer->run('return larder_exists("of a child 0");') === true, 'the child works');
        self::assertSame(4, $observer->figure('processes', 'attached'));

        // Pages that the children hold stay after their parent ends, whoever stores.
        $parent->kill();
        self::assertSame(0, $observer->run('for ($i = 0, $refused = 0; $i < 2_000; ++$i) { $refused += !larder_store("$i", str_repeat("$i ", 10_000)); } return $refused;'));
        usleep(150_000);
        $observer->run('for ($i = 0; $i < 1_000; ++$i) { larder_store("$i", str_repeat("$i ", 10_000)); }');
        touch("$notes/end");
        foreach ([0, 1] as $child) {
            Wait::until(static fn(): bool => @file_get_contents("$notes/child $child") === 'whole', "child $child has what it had");
        }
        self::assertFileDoesNotExist("$notes/refused");
        Wait::until(static fn(): bool => $observer->figure('processes', 'attached') === 1, 'all have ended');
        Capacity::assertIsWhole($observer, $this->sandbox);
    }

    /** @return iterable<string, array{bool, int, int}> */
    public static function starters(): iterable
    {
        yield 'the command line' => [true, 600, 512];
        yield 'FPM' => [false, 100, 64];
    }

    #[DataProvider('starters')]
    public function testStartingProgramsDoesNotUseUpProcessRecords(bool $commandLine, int $programs, int $records): void
    {
        $ini = ['larder.processes' => $records];
        $php = $commandLine ? $this->sandbox->commandLine(ini: $ini) : $this->sandbox->fpm(ini: $ini);
        $observer = $this->sandbox->commandLine(ini: $ini);
        $observer->run('larder_store("made", 1);'); // creates the segment
        self::assertSame($records, $observer->figure('processes', 'limit'));
        $worst = $php->run("\$programs = $programs;" . <<<'PHP'
            $worst = ['attached' => 0, 'record' => 0, 'files' => 0, 'lost' => 0];
            for ($i = 0; $i < $programs; ++$i) {
                larder_store('value ' . $i % 10, str_repeat("$i ", 8_000));
                $held[$i < 10 ? $i : 10 + $i % 10] = larder_fetch('value ' . $i % 10);
                $program = proc_open(['/bin/true'], [], $pipes);
                $worst['lost'] += larder_fetch('value ' . $i % 10) !== str_repeat("$i ", 8_000);
                if ($i % 20 === 0) {
                    $info = larder_info()['processes'];
                    $worst['attached'] = max($worst['attached'], $info['attached']);
                    $worst['record'] = max($worst['record'], $info['mine']);
                    $worst['files'] = max($worst['files'], count(scandir('/proc/self/fd')));
                }
                proc_close($program);
            }
            foreach ($held as $at => $value) {
                $worst['lost'] += $value !== str_repeat($at < 10 ? "$at " : $programs - 20 + $at . ' ', 8_000);
            }
            return $worst;
            PHP);
        self::assertIsArray($worst);
        self::assertSame(0, $worst['lost']);
        self::assertLessThanOrEqual(4, $worst['attached']);
        self::assertLessThan(8, $worst['record']);
        self::assertLessThan(30, $worst['files']);
        self::assertSame(2, $observer->figure('processes', 'attached'));
    }
}
