<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Inspect;

use Larder\Cli\Inspect\Counters;
use Larder\Cli\Inspect\Health;
use Larder\Cli\Inspect\Prediction;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Tests\PhpProcess;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** The verdict from counters and a prediction. DoctorCommandTest has verdicts on segments. */
final class HealthTest extends TestCase
{
    private const MIB = 1 << 20;
    private const MIXED = ['page:' => [10, 5_000_000, 9, 60, 5], 'user:' => [10, 5_000_000, 9, 60, 5]];
    private const UNREAD = ['page:' => [490, 9_000_000, 480, 60, 4], 'user:' => [10, 1_000_000, 9, 60, 9]];

    public function testMoreMemoryIsAdvisedForWhatItWouldGive(): void
    {
        $gain = self::prediction(twice: 0.91, four: 0.915);
        $sentence = 'With 128 MiB instead of 64, 91 % would hit instead of 78 %. Ask for 128 MiB.';

        self::assertVerdict(['TOO SMALL', $sentence, true], self::counters(unread: 200), self::MIXED, $gain);
        self::assertVerdict(['TOO SMALL', $sentence, true], self::counters(unread: 700), self::MIXED, $gain);
        $control = self::verdict(self::counters(unread: 700), self::MIXED, null);
        self::assertSame('NO VERDICT', $control->word, 'the control: the counters alone do not tell');
    }

    public function testMemoryThatGainsNothingIsNotAdvised(): void
    {
        $read = self::counters(unread: 200);
        $healthy = ['HEALTHY', '78.0 % of the gets hit; with 128 MiB 78.4 % would, with 256 MiB 78.9 %.', false];
        self::assertVerdict($healthy, $read, self::MIXED, self::prediction(twice: 0.784, four: 0.789));
        $verdict = self::verdict($read, self::MIXED, null);
        self::assertSame('TOO SMALL', $verdict->word, 'the control: the counters alone would advise it');
        self::assertStringContainsString('had been read. Ask for 128 MiB. Counted', $verdict->sentence);

        $refused = self::counters(unread: 200, refused: 1);
        $little = self::prediction(twice: 0.784, four: 0.789);
        $verdict = self::verdict($refused, self::MIXED, $little);
        self::assertSame('NO VERDICT', $verdict->word);
        self::assertStringStartsWith('1 stores were refused', $verdict->sentence);
    }

    /** One doubling at a time would take two steps. */
    public function testTheSmallestSizeThatGainsNearlyTheMostIsAdvised(): void
    {
        foreach ([[0.79, 0.99, 256], [0.84, 0.93, 256], [0.925, 0.93, 128], [0.82, 0.835, 128]] as [$twice, $four, $size]) {
            $prediction = self::prediction($twice, $four);
            self::assertSame($size * self::MIB, $prediction?->wanted(), "$twice, $four");
        }
        self::assertNull(self::prediction(0.80, 0.83)?->wanted(), 'the control: that is little, and predictions err');
    }

    public function testPollutionComesFirst(): void
    {
        $polluted = self::counters(unread: 900);
        $verdict = self::verdict($polluted, self::UNREAD, self::prediction(twice: 0.91));
        self::assertSame('POLLUTED', $verdict->word);
        self::assertStringContainsString(
            ' larder keys page: -n 5. 78.0 % of the gets hit; with 128 MiB 91.0 % would, with 256 MiB 93.0 %. Cou',
            $verdict->sentence,
        );
        $verdict = self::verdict($polluted, self::MIXED, self::prediction(twice: 0.91));
        self::assertSame('TOO SMALL', $verdict->word, 'the control: no prefix is to blame');
    }

    /** @return iterable<string, array{string, bool}> code that asks for 1 KB values by $get, and whether that pollutes */
    public static function caches(): iterable
    {
        $session = 'for ($i = 0; $i < 40_000; ++$i) { for ($j = 0; $j < 3; ++$j) { $get("user:" . mt_rand(0, 1000)); } %s }';
        yield 'each page has a session id' => [\sprintf($session, '$get("page:$i");'), true];
        yield 'and is loaded twice' => [\sprintf($session, '$get("page:$i"); $get("page:$i");'), true];
        yield 'and is loaded three times' => [\sprintf($session, '$get("page:$i"); $get("page:$i"); $get("page:$i");'), true];
        $later = '$get("page:$i"); $get("page:" . max(0, $i - 150)); $get("page:" . max(0, $i - 300));';
        yield 'and is loaded three times, later' => [\sprintf($session, $later), true];
        yield 'a scan' => ['for ($i = 0; $i < 60_000; ++$i) { $get("scan:$i"); }', true];
        $visits = 'for ($j = 0; $j < 10; ++$j) { $get("visit:" . max(0, $i - 60 * $j)); }';
        yield 'visits of ten pages' => [\sprintf($session, $visits), false];
        // The n-th of 25,000 keys, four times of what fits, is asked for 1/n times as often as the first.
        yield 'Zipf' => ['for ($i = 0; $i < 250_000; ++$i) { $get("k:" . (int) exp(log(25_000) * mt_rand() / mt_getrandmax())); }', false];
        yield 'uniform keys' => ['for ($i = 0; $i < 120_000; ++$i) { $get("k:" . mt_rand(0, 25_000)); }', false];
        yield 'filled for gets to come' => ['for ($i = 0; $i < 60_000; ++$i) { larder_store("page:$i", $value); }', false];
    }

    #[DataProvider('caches')]
    #[RequiresPhpExtension('larder')]
    public function testHardlyReadKeysPollute(string $code, bool $isPolluted): void
    {
        $folder = new TemporaryDirectory('/dev/shm');
        $get = '$value = str_repeat("x", 1000); mt_srand(1); '
            . '$get = static function (string $key) use ($value): void { larder_fetch($key) ?? larder_store($key, $value); }; ';
        $judge = ' require $argv[1]; echo Larder\Cli\Doctor\Engine::health()->word;';
        $php = PhpProcess::commandWithEngine("larder.path=$folder->path", 'larder.size=8M');
        $said = (new Process([...$php, '-r', $get . $code . $judge, '--', __DIR__ . '/../../../vendor/autoload.php']))
            ->mustRun()->getOutput();
        self::assertSame($isPolluted, $said === 'POLLUTED', $said);
    }

    public function testSizesOfAnotherUnitAreNamedWhole(): void
    {
        $sizes = [['size' => 512 * self::MIB, 'hit_rate' => 0.5], ['size' => 2048 * self::MIB, 'hit_rate' => 1.0]];
        $prediction = Prediction::of($sizes, 512 * self::MIB);
        self::assertSame('With 2 GiB instead of 512 MiB, 100 % would hit instead of 50 %.', $prediction?->wouldHit(2048 * self::MIB));
        self::assertNull(Prediction::of([], 512 * self::MIB), 'not known');
    }

    /**
     * @param array{string, string, bool} $expected
     * @param array<string, array{int, int, int, int, int}> $groups
     */
    private static function assertVerdict(array $expected, Counters $counters, array $groups, ?Prediction $more): void
    {
        $verdict = self::verdict($counters, $groups, $more);
        self::assertSame($expected, [$verdict->word, $verdict->sentence, $verdict->isIll]);
    }

    /** @param array<string, array{int, int, int, int, int}> $groups */
    private static function verdict(Counters $counters, array $groups, ?Prediction $prediction): Health
    {
        $remedy = static fn(int $size): string => 'Ask for ' . Prediction::memory($size);

        return Health::verdict($counters, static fn(): array => $groups, $prediction, 64 * self::MIB, $remedy);
    }

    private static function counters(int $unread, int $refused = 0): Counters
    {
        return Counters::of([
            'age' => 60.0,
            'hits' => 7800,
            'misses' => 2200,
            'stores' => 2200,
            'deletes' => 0,
            'refusals' => ['room' => $refused],
            'evictions' => ['room' => 1000, 'index' => 0, 'expired' => 0, 'unread' => $unread],
            'evicted_ages' => [0, 0, 0, 1000, ...array_fill(0, 12, 0)],
        ]);
    }

    private static function prediction(float $twice, float $four = 0.93): ?Prediction
    {
        return Prediction::of([
            ['size' => 16 * self::MIB, 'hit_rate' => 0.52],
            ['size' => 32 * self::MIB, 'hit_rate' => 0.66],
            ['size' => 64 * self::MIB, 'hit_rate' => 0.78],
            ['size' => 128 * self::MIB, 'hit_rate' => $twice],
            ['size' => 256 * self::MIB, 'hit_rate' => $four],
        ], 64 * self::MIB);
    }
}
