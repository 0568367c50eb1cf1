<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\System\ServerFailed;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/**
 * FPM's master, like any other process that forks the workers of several users, never maps a segment: all its workers
 * would inherit the mapping.
 */
#[Group('proof')]
final class MasterTest extends EngineTestCase
{
    /** @return iterable<string, array{bool, int}> true for root's master, and a number of requests */
    public static function masters(): iterable
    {
        yield 'a master of root' => [true, Proof::amount(200, 1_000)];
        yield 'a master of the site' => [false, 200];
    }

    #[DataProvider('masters')]
    public function testMasterHoldsNothingAfterRequestsAndAReload(bool $root, int $times): void
    {
        $fpm = $this->fpm($root, workers: 2);
        $this->assertHoldsNothing($fpm, 'before the first request');

        // one worker creates the segment, the other finds it
        self::assertSame(1, $fpm->run('return larder_increment("requests");'));
        $code = 'larder_increment("requests"); larder_store("value", str_repeat("a long string ", 50)); $value = larder_fetch("value");';
        $requests = [$fpm->beginMany($code, intdiv($times, 2)), $fpm->beginMany($code, intdiv($times, 2))];
        array_walk($requests, static fn($request): int => $request->wait());
        self::assertSame(1 + $times, $fpm->run('return larder_fetch("requests");'));
        $this->assertHoldsNothing($fpm, "after $times requests");
        // the control: the same check finds two mappings and a descriptor of the worker
        self::assertCount(4, $held = $this->sandbox->heldBy($fpm->pid()));

        $fpm->server->reload();
        $this->assertHoldsNothing($fpm, 'after a reload');
        self::assertSame(1 + $times, $fpm->run('return larder_fetch("requests");'));
        $this->assertHoldsNothing($fpm, 'after a request that came after a reload');
        if ($root) {
            Proof::record('neighbours.master', $times, 'requests, and a reload, after which the master of root has mapped and opened nothing', \count($this->sandbox->heldBy($fpm->master())));
            Proof::control('neighbours.master', 'the same look at a worker, which has three mappings and a descriptor', 4, \count($held));
        }
    }

    /** All ways to run code while PHP preloads, including the latest. */
    private const PRELOADED = <<<'PHP'
        <?php
        function note(string $place): void {
            $mapped = str_contains(file_get_contents('/proc/self/maps'), 'FOLDER');
            $stored = larder_store('preloaded', $place);
            $fetched = larder_fetch('preloaded', 'nothing');
            file_put_contents('NOTES', json_encode([$place, $stored, $fetched, $mapped, larder_info()['available'], larder_info()['reason']]) . "\n", FILE_APPEND);
        }
        class Noting {
            public static $held;
            public $context;
            public function __construct(private string $place = 'a destructor of a stream') {}
            public function __destruct() { note($this->place); }
            public function stream_open($path, $mode, $options, &$opened) { return true; }
            public function stream_write($data) { return strlen($data); }
            public function stream_close() { note('a stream\'s end'); }
        }
        note('the script');
        register_shutdown_function(fn() => note('a shutdown function'));
        $global = new Noting('a destructor of a global');
        Noting::$held = new Noting('a destructor of a static');
        ob_start(function ($output) { note('an output callback'); return ''; });
        stream_wrapper_register('noting', Noting::class);
        $stream = fopen('noting://stream', 'w');
        function generate() { try { yield 1; } finally { note('a generator\'s end'); } }
        $generator = generate();
        $generator->current();
        PHP;

    private const RECORD = 'return larder_info()["processes"]["mine"];';

    #[DataProvider('masters')]
    public function testMasterHoldsNothingAfterPreloading(bool $root): void
    {
        $notes = $this->sandbox->folder() . '/notes';
        $script = $this->sandbox->write('preload.php', strtr(self::PRELOADED, ['NOTES' => $notes, 'FOLDER' => $this->sandbox->memory]));
        $fpm = $this->fpm($root, workers: 2, ini: ['opcache.preload' => $script, 'opcache.preload_user' => User::site()->name]);

        $noted = array_map(static fn(string $line): mixed => json_decode($line, true), explode("\n", trim((string) file_get_contents($notes))));
        $empty = static fn(string $place): array => [$place, false, 'nothing', false, false, 'no cache is available while PHP preloads'];
        self::assertEqualsCanonicalizing([
            $empty('the script'), $empty('a shutdown function'), $empty('a destructor of a global'), $empty('a destructor of a static'),
            $empty('an output callback'), $empty('a stream\'s end'), $empty('a generator\'s end'), $empty('a destructor of a stream'),
        ], $noted);
        self::assertSame([], $this->sandbox->segments(), 'preloading made a segment');
        foreach ([$fpm->master(), ...$fpm->workers()] as $process) {
            self::assertSame([], $this->sandbox->heldBy($process));
        }

        // the control: the script was preloaded, and in a request the same function stores
        self::assertSame('a request', $fpm->run('note("a request"); return larder_fetch("preloaded");'));
        // each worker has its own record, and nothing is inherited
        $record = $this->sandbox->meeting(2) . self::RECORD;
        [$one, $other] = [$fpm->begin($record), $fpm->begin($record)];
        self::assertNotSame($fpm->end($one), $fpm->end($other));
        $this->assertHoldsNothing($fpm, 'after requests');
    }

    /** php-cgi's parent is a master, too; each of its children has a record, and ends its requests. */
    public function testCgiParentHoldsNothing(): void
    {
        try {
            $cgi = $this->sandbox->cgiServer(children: 2);
        } catch (ServerFailed $missing) {
            self::markTestSkipped($missing->getMessage());
        }
        $parent = (int) $cgi->process->pid();
        self::assertTrue($cgi->run('return larder_store("value", str_repeat("a long string ", 50));'));
        $record = $this->sandbox->meeting(2) . self::RECORD;
        $requests = [$cgi->begin($record), $cgi->begin($record)];
        self::assertCount(2, array_unique(array_map($cgi->end(...), $requests), \SORT_REGULAR));
        self::assertSame(1, $cgi->run('$value = larder_fetch("value"); return larder_info()["pins"]["mine"];'));
        self::assertSame([], $cgi->run('return larder_info()["processes"]["holders"];'));

        $children = Processes::childrenOf($parent);
        self::assertCount(2, $children);
        self::assertSame([0, 4, 4], array_map(fn(int $pid): int => \count($this->sandbox->heldBy($pid)), [$parent, ...$children]));
    }

    /** @param array<string, string|int> $ini */
    private function fpm(bool $root, int $workers, array $ini = []): Fpm
    {
        if ($root) {
            self::needsRoot();
        }

        return $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, workers: $workers)], $ini, $root ? User::current() : User::site());
    }

    private function assertHoldsNothing(Fpm $fpm, string $when): void
    {
        self::assertSame([], $this->sandbox->heldBy($fpm->master()), $when);
    }
}
