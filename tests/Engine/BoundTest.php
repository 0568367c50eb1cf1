<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use Larder\Cli\Server\PhpFpmPool;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;

/** Others can store, however much readers hold, and for however long. */
#[Group('proof')]
final class BoundTest extends EngineTestCase
{
    private const READERS = 8;
    private const BATCH = 1_000;

    /** Almost the longest value of a segment of 8 MiB: it needs twelve adjacent pages. */
    private const LONGEST = 780_000;

    /** Fetches all keys repeatedly, in another order than the other readers, and holds the values. */
    private const READ_EVERYTHING = <<<'PHP'
        set_time_limit(0);
        mt_srand(getmypid());
        $order = range(0, 1_999);
        shuffle($order);
        for ($round = 0; $round < ROUNDS; ++$round) {
            foreach ($order as $i) {
                if (larder_exists("key $i")) {
                    $held[$i] = larder_fetch("key $i");
                }
            }
            touch('FOLDER/' . getmypid());
        }
        sleep(60);
        PHP;

    /**
     * Sizes like those of a site: most are short, one in 500 needs several pages. Returns the number of refused stores.
     */
    private const STORE_A_BATCH = <<<'PHP'
        $round ??= 0; // stays from batch to batch
        for ($i = $refused = 0; $i < 1_000; ++$i, ++$round) {
            $size = $round % 500 === 0 ? mt_rand(40_000, 190_000) : (int) (50 * 600 ** (mt_rand() / mt_getrandmax()));
            $refused += !larder_store('key ' . $round % 2_000, str_repeat(chr(33 + $round % 90), $size));
        }
        $pins = larder_info()['pins'];
        return [$refused, $pins['pages']];
        PHP;

    /**
     * @return iterable<string, array{string, bool, int, bool, int}> true if in requests, rounds until they rest, true
     *         if they are stopped, the divisor of the pages that they may hold
     */
    public static function readers(): iterable
    {
        yield 'requests that were stopped' => ['bound.stopped', true, 2, true, 2];
        yield 'scripts that read every key' => ['bound.every-key', true, \PHP_INT_MAX, false, 2];
        yield 'loops that never end' => ['bound.endless-loops', false, \PHP_INT_MAX, false, 8];
    }

    #[DataProvider('readers')]
    public function testOthersCanStoreBesideHolders(string $proof, bool $requests, int $rounds, bool $stopped, int $part): void
    {
        [$tried, $failed, $figures] = $this->storeBeside($requests, $rounds, $stopped, $part);
        Proof::record($proof, $tried, 'thousands of stores beside ' . self::READERS . ' readers: at most one of each refused, never more pages held than the bound', $failed, $figures);
    }

    /** The control: readers that may hold more than the limit do so. */
    #[DataProvider('readers')]
    public function testMoreIsHeldWithoutTheBound(string $proof, bool $requests, int $rounds, bool $stopped, int $part): void
    {
        if ($requests) {
            $this->useUnreadableBuild();
            [$tried, $failed] = $this->storeBeside(true, $rounds, $stopped, $part, '1.0');
            Proof::control($proof, 'a build in which readers may hold all pages', $tried, $failed);
        } else {
            [$tried, $failed] = $this->storeBeside(true, $rounds, $stopped, $part);
            Proof::control($proof, 'the same loops in requests, which may hold half of the pages', $tried, $failed);
        }
    }

    /** @return array{int, int, array<string, string>} number of batches, number of failed ones, other observations */
    private function storeBeside(bool $requests, int $rounds, bool $stopped, int $part, string $share = '0.5'): array
    {
        $ini = ['larder.pin_share' => $share];
        $others = $this->sandbox->commandLine(ini: [...$ini, 'larder.zero_copy' => '0']);
        for ($i = 0; $i < 4; ++$i) {
            $others->run(self::STORE_A_BATCH);
        }
        self::assertGreaterThan(0, $others->figure('evictions', 'room'), 'the cache is full');
        $readers = $this->startReaders($requests, $rounds, $ini);
        foreach ($stopped ? $readers : [] as $reader) {
            posix_kill($reader, \SIGSTOP);
        }

        $batches = Proof::amount(30, 1_000);
        $failed = $refused = $most = 0;
        // each reader may hold one more page that is not counted yet
        $bound = intdiv($others->figure('memory', 'pages'), $part) + self::READERS;
        for ($i = 0; $i < $batches; ++$i) {
            [$refusedHere, $held] = $this->batch($others);
            $failed += (int) ($refusedHere > self::BATCH / 1_000 || $held > $bound);
            $refused += $refusedHere;
            $most = max($most, $held);
        }
        $longest = $this->storeLongest($others, 20);
        foreach ($readers as $reader) {
            Processes::kill($reader);
        }
        $first = $this->storeLongest($others, 1);
        self::assertSame(1, $first, 'the first store after the death of all readers has their room');

        return [$batches, $failed, [
            'share of stores that succeeded' => \sprintf('%.3f %%', 100 - 100 * $refused / ($batches * self::BATCH)),
            'most pages held, and the bound' => "$most, $bound",
            'stores of a value that needs 12 pages in a row' => "$longest of 20",
            'the first of them after all readers were killed' => "$first of 1",
        ]];
    }

    /**
     * @param array<string, string> $ini
     * @return list<int> process ids of readers that hold values
     */
    private function startReaders(bool $requests, int $rounds, array $ini): array
    {
        $folder = $this->sandbox->folder();
        $code = strtr(self::READ_EVERYTHING, ['FOLDER' => $folder, 'ROUNDS' => (string) $rounds]);
        if ($requests) {
            $fpm = $this->sandbox->fpm([new PhpFpmPool(user: User::site()->name, workers: self::READERS)], $ini);
            for ($i = 0; $i < self::READERS; ++$i) {
                $request = $fpm->begin($code);
                $this->sandbox->stopLater(static function () use ($request): void {
                    $request->stop(0.0);
                });
            }
        } else {
            for ($i = 0; $i < self::READERS; ++$i) {
                $this->sandbox->commandLine(ini: $ini)->begin($code);
            }
        }
        $read = static fn(): array => array_map(intval(...), \array_slice((array) scandir($folder), 2));
        Wait::until(static fn(): bool => \count($read()) === self::READERS, 'all have read');

        return $read();
    }

    /** @return array{int, int} number of refused stores, pages held */
    private function batch(Php $others): array
    {
        $figures = $others->run(self::STORE_A_BATCH);
        self::assertIsArray($figures);
        [$refused, $held] = $figures;
        self::assertIsInt($refused);
        self::assertIsInt($held);

        return [$refused, $held];
    }

    private function storeLongest(Php $others, int $times): int
    {
        return $others->number(\sprintf('for ($i = $stored = 0; $i < %d; ++$i) { $stored += larder_store("longest", str_repeat("x", %d)); } return $stored;', $times, self::LONGEST));
    }
}
