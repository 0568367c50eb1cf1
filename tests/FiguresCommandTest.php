<?php

declare(strict_types=1);

namespace Larder\ProjectTests;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Lab\Figures\Measured;
use Larder\Lab\Figures\Row;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** lab/figures/run measures with the engine built in the clone. */
final class FiguresCommandTest extends TestCase
{
    public function testRowIsMeasuredBesideItsPeer(): void
    {
        $directory = new TemporaryDirectory();
        $file = $directory->path . '/figures.jsonl';
        $run = self::figures(['--rows=fetch-10,store-10', '--rounds=3', '--processes=2', '--json=' . $file]);
        $run->mustRun();
        self::assertMatchesRegularExpression('/^fetch 10 bytes\n  beside APCu +[\d.,]+ +[\d.,]+ +[\d.,]+ +0\.250 (reached|missed)$/m', $run->getOutput());
        $measured = Measured::read($file);
        self::assertIsArray($measured->header['measured_on']);
        self::assertSame(\PHP_VERSION, $measured->header['measured_on']['php']);
        self::assertSame(['fetch-10', 'store-10'], array_column($measured->rows, 'name'));
        foreach ($measured->rows as $figure) {
            self::assertSame(['name', 'work', 'peer', 'ours', 'theirs', 'ratio', 'low', 'high', 'bound', 'more', 'more_bound', 'rounds', 'processes'], array_keys($figure));
            self::assertGreaterThan(0, $figure['ours']);
            self::assertSame([3, 2], [$figure['rounds'], $figure['processes']]);
        }
    }

    #[TestWith(['--rounds=many', '--rounds: many is not a number from 1 to 9999.'])]
    #[TestWith(['--processes=0', '--processes: 0 is not a number from 1 to 9999.'])]
    #[TestWith(['--json=/no/such/directory/file.json', '--json: /no/such/directory/file.json cannot be written.'])]
    public function testInvalidOptionIsRefusedBeforeMeasuring(string $option, string $message): void
    {
        $run = self::figures(['--rows=fetch-10', $option]);
        self::assertNotSame(0, $run->run());
        self::assertStringContainsString($message, (string) preg_replace('/\s+/', ' ', $run->getErrorOutput()));
        self::assertSame('', $run->getOutput());
    }

    public function testRowUnderFpmIsMeasured(): void
    {
        $run = self::figures(['--rows=attach', '--rounds=1']);
        $run->mustRun();
        self::assertMatchesRegularExpression('/^  beside 100 us +[\d.,]+ +100,000 /m', $run->getOutput());
    }

    public function testLibraryIsMeasuredBesideItsClients(): void
    {
        $run = self::figures(['library', '--rows=get-10b,psr16-symfony-10b,redis-get-10b,memcached-set-1k,file-get-array-of-4', '--rounds=2']);
        $run->mustRun();
        self::assertMatchesRegularExpression('/^Cache::get, 10b\n  beside larder_fetch .* (reached|missed) \([+-]\d+ ns, 40 allowed\)$/m', $run->getOutput());
        self::assertSame(5, preg_match_all('/ (reached|missed)( \(|$)/m', $run->getOutput()), $run->getOutput());
    }

    public function testRequestIsMeasuredBesideSymfony(): void
    {
        $run = self::figures(['request', '--rows=larder,redis', '--rounds=6']);
        $run->mustRun();
        self::assertSame(2, preg_match_all('/ (reached|missed) \([\d.]+ to [\d.]+; [1-9]\d* files, peer [1-9]\d*\)$/m', $run->getOutput()), $run->getOutput());
    }

    public function testBytesAreMeasuredBesideApcu(): void
    {
        $run = self::figures(['memory', '--rows=products-bytes,products-compact', '--rounds=1']);
        $run->mustRun();
        self::assertMatchesRegularExpression('/^20 product rows of 6 columns\n  beside APCu, bytes +[5-9],\d{3} +[234],\d{3} /m', $run->getOutput());
        self::assertMatchesRegularExpression('/^  beside APCu, igbinary, bytes +\d{3}\.0 +1,\d{3} /m', $run->getOutput());
    }

    public function testBoundIsReachedByRatioOrByDifference(): void
    {
        $row = static fn(?float $bound, ?float $more, bool $least = false): Row => new Row('', '', '', $bound, [], static fn(): array => [[1.0, 1.0]], $least, $more);

        self::assertNull($row(null, null)->isReached(1.0, 0.0));
        self::assertTrue($row(0.5, null)->isReached(0.5, 9.0));
        self::assertFalse($row(0.5, null)->isReached(0.51, -9.0));
        self::assertTrue($row(0.9, null, true)->isReached(0.9, 0.0));
        self::assertFalse($row(0.9, null, true)->isReached(0.89, 0.0));
        self::assertTrue($row(1.05, 500.0)->isReached(1.04, 900.0));
        self::assertTrue($row(1.05, 500.0)->isReached(2.0, 400.0));
        self::assertFalse($row(1.05, 500.0)->isReached(1.06, 501.0));
        self::assertFalse($row(null, 40.0)->isReached(0.1, 41.0));
    }

    public function testUnknownSubjectIsRefused(): void
    {
        $run = self::figures(['moon']);
        self::assertNotSame(0, $run->run());
        self::assertStringContainsString('There are no figures of "moon". Known: engine, library, request', self::unwrapped($run->getErrorOutput()));
    }

    public function testUnknownRowsAreRefusedAndTheKnownOnesListed(): void
    {
        $run = self::figures(['--rows=fetch-11']);
        self::assertNotSame(0, $run->run());
        self::assertStringContainsString('fetch-11 is not known', self::unwrapped($run->getErrorOutput()));
        self::assertStringContainsString('fetch-10, fetch-64k', self::unwrapped($run->getErrorOutput()));
    }

    private static function unwrapped(string $message): string
    {
        return (string) preg_replace('/\s+/', ' ', $message);
    }

    /** @param list<string> $arguments */
    private static function figures(array $arguments): Process
    {
        return Repository::process(['lab/figures/run', 'measure', ...$arguments], [], 600);
    }
}
