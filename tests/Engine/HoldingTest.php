<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Attributes\Group;

/** A value in the hands of a script never changes, whatever others do to it and to the cache meanwhile. */
#[Group('proof')]
final class HoldingTest extends EngineTestCase
{
    private const PROOF = 'holding.overwritten';

    /** A value of one page, one of several pages, an array; each is known by its number. */
    private const VALUES = <<<'PHP'
        $make = static fn(int $n): array => [
            'string' => str_repeat("string $n ", 300),
            'long' => str_repeat("long $n ", 20_000),
            'array' => ['n' => $n, 'rows' => array_map(static fn(int $i): array => ['id' => "row $n $i", 'at' => $i / 2], range(1, 50))],
        ];

        PHP;

    /** Looks at what it holds, and fetches another value, until it is told to end. */
    private const HOLD = <<<'PHP'
        set_time_limit(0);
        $expected = $make(0);
        foreach ($expected as $name => $value) {
            while (($held[$name] = larder_fetch($name)) === null) {
                larder_store($name, $value);
            }
        }
        touch('FOLDER/holds');
        for ($looks = $changed = 0; !file_exists('FOLDER/end'); usleep(500)) {
            clearstatcache();
            larder_fetch('pressure 0');
            foreach ($expected as $name => $value) {
                ++$looks;
                $changed += $held[$name] !== $value;
            }
        }
        return [$looks, $changed];
        PHP;

    /** Overwrites and deletes what is held, fills the memory, clears; gives how often it did something. */
    private const DISTURB = <<<'PHP'
        $others = [$make(1), $make(2)];
        $fill = str_repeat('x', 2_000);
        $until = microtime(true) + SECONDS;
        for ($round = $done = 0; $done < LEAST || microtime(true) < $until; ++$round) {
            for ($i = 0; $i < 500; ++$i) {
                foreach ($others[$i % 2] as $name => $value) {
                    larder_store($name, $value);
                    ++$done;
                }
                for ($j = 0; $j < 20; ++$j, ++$done) {
                    larder_store('pressure ' . ($i * 20 + $j), $fill);
                }
                if ($i % 10 === 0) {
                    $done += larder_delete('string') + larder_delete('long') + larder_delete('array');
                }
            }
            $round % 4 !== 3 || larder_clear();
            ++$done;
        }
        return [$done, larder_info()['evictions']['room']];
        PHP;

    public function testHeldValueKeepsItsBytes(): void
    {
        $seconds = Proof::amount(2, 60);
        [$done, $evicted, $looks, $changed] = $this->hold($seconds, Proof::amount(100_000, 1_000_000));
        self::assertGreaterThan(1_000, $evicted, 'the control: the memory was full');
        self::assertGreaterThan(100 * $seconds, $looks);
        Proof::record(self::PROOF, $done, 'stores, deletes and clears by others while three values are held', $changed, [
            'held for' => "$seconds s",
            'looks at the held bytes' => number_format($looks),
            'values evicted meanwhile' => number_format($evicted),
        ]);
    }

    public function testUnheldValueChanges(): void
    {
        $this->useUnreadableBuild();
        [$done, , , $changed] = $this->hold(0, 50_000, ['larder.control' => 3]);
        Proof::control(self::PROOF, 'a build in which each fetch releases what was held before it', $done, $changed);
    }

    /**
     * @param array<string, int> $ini
     * @return array{int, int, int, int} what others did, what was evicted, looks, and how many saw a change
     */
    private function hold(int $seconds, int $least, array $ini = []): array
    {
        $folder = $this->sandbox->folder();
        $fpm = $this->sandbox->fpm(ini: $ini);
        $others = $this->sandbox->commandLine(ini: ['larder.zero_copy' => '0']);
        $request = $fpm->begin(self::VALUES . strtr(self::HOLD, ['FOLDER' => $folder]), $seconds + 60);
        Wait::until(static fn(): bool => file_exists("$folder/holds"), 'the values are held');
        $others->begin(self::VALUES . strtr(self::DISTURB, ['SECONDS' => (string) $seconds, 'LEAST' => (string) $least]));
        [$done, $evicted] = self::numbers($others->end($seconds + 60));
        touch("$folder/end");

        try {
            [$looks, $changed] = self::numbers($fpm->end($request));
        } catch (PhpFailed) {
            [$looks, $changed] = [1, 1]; // an array whose memory was used again can crash who reads it
        }

        return [$done, $evicted, $looks, $changed];
    }

    /** @return array{int, int} */
    private static function numbers(mixed $answer): array
    {
        self::assertIsArray($answer);
        [$first, $second] = $answer;
        self::assertIsInt($first);
        self::assertIsInt($second);

        return [$first, $second];
    }
}
