<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\DataProvider;

/** A key that always exists is found, in every way of reading, while two processes store it all the time. */
final class HotKeyTest extends EngineTestCase
{
    private const SECONDS = 1.0;

    /** Replaces the value: a refused store would remove it. */
    private const WRITE = <<<'PHP'
        $end = hrtime(true) + (int) (SECONDS * 1e9);
        for ($stores = 0; hrtime(true) < $end;) {
            for ($i = 0; $i < 1_000; ++$i) {
                $stores += (int) larder_replace('hot', 'a value of NUMBER');
            }
        }
        return $stores;
        PHP;

    private const READ = <<<'PHP'
        $end = hrtime(true) + (int) (SECONDS * 1e9);
        $misses = 0;
        for ($reads = 0; hrtime(true) < $end; $reads += 300) {
            for ($i = 0; $i < 100; ++$i) {
                $misses += (int) (larder_fetch('hot') === null) + (int) !larder_exists('hot') + (int) (larder_fetch_multiple(['hot'], 'none') === ['hot' => 'none']);
            }
        }
        return [$reads, $misses];
        PHP;

    /** Pages of short values, more than a command line process may hold. */
    private const FILL = <<<'PHP'
        for ($i = 0; $i < 3_500; ++$i) {
            larder_store("filling $i", str_repeat('x', 20_000));
        }
        return larder_store('hot', 'a value');
        PHP;

    private const HOLD = <<<'PHP'
        $held = [];
        for ($i = 0; $i < 3_500; ++$i) {
            $held[] = larder_fetch("filling $i");
        }
        $pins = larder_info()['pins'];
        return $pins['mine'] === $pins['long_lived_limit'];
        PHP;

    /** @return iterable<string, array{string, array<string, string>, bool}> */
    public static function readers(): iterable
    {
        yield 'a command line past its pin limit' => ['command line', ['larder.size' => '512M'], true];
        yield 'a command line that copies' => ['command line', ['larder.zero_copy' => '0'], false];
        yield 'a command line' => ['command line', [], false];
        yield 'FPM' => ['FPM', [], false];
        yield 'FPM that copies' => ['FPM', ['larder.zero_copy' => '0'], false];
    }

    /** @param array<string, string> $ini */
    #[DataProvider('readers')]
    public function testReadersNeverMissAnOverwrittenKey(string $kind, array $ini, bool $pastTheLimit): void
    {
        if ($pastTheLimit && disk_free_space('/dev/shm') < 1 << 30) {
            self::markTestSkipped('/dev/shm has no room for 512 MiB');
        }
        $reader = $kind === 'FPM' ? $this->sandbox->fpm(ini: $ini) : $this->sandbox->commandLine(ini: $ini);
        $writers = [$this->sandbox->commandLine(ini: $ini), $this->sandbox->commandLine(ini: $ini)];
        self::assertTrue($writers[0]->run($pastTheLimit ? self::FILL : 'return larder_store("hot", "a value");'));
        if ($pastTheLimit) {
            self::assertTrue($reader->run(self::HOLD), 'the reader is not past its limit');
        }
        foreach ($writers as $number => $writer) {
            $writer->begin(strtr(self::WRITE, ['NUMBER' => (string) $number, 'SECONDS' => (string) self::SECONDS]));
        }
        [$reads, $misses] = [0, 0];
        for ($request = 0; $request < 5; ++$request) {
            $answer = $reader->run(strtr(self::READ, ['SECONDS' => (string) (self::SECONDS / 5)]));
            self::assertIsArray($answer);
            self::assertIsInt($answer[0]);
            self::assertIsInt($answer[1]);
            [$reads, $misses] = [$reads + $answer[0], $misses + $answer[1]];
        }
        foreach ($writers as $writer) {
            self::assertGreaterThan(100, $writer->end());
        }
        self::assertGreaterThan(100, $reads);
        self::assertSame(0, $misses, "of $reads reads");
    }
}
