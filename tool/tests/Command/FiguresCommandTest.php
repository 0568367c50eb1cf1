<?php

declare(strict_types=1);

namespace Larder\Tool\Tests\Command;

use Larder\Tool\TemporaryDirectory;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/** The engine's figures as people ask for them: by the launcher at the root, the engine built in the clone. */
final class FiguresCommandTest extends TestCase
{
    private const ROOT = __DIR__ . '/../../..';

    public function testARowIsMeasuredBesideItsPeer(): void
    {
        $directory = new TemporaryDirectory();
        $file = $directory->path . '/figures.json';
        $run = self::figures(['--rows=fetch-10,store-10', '--rounds=2', '--json=' . $file]);
        $run->mustRun();
        self::assertMatchesRegularExpression('/^fetch 10 bytes\n  beside APCu +[\d.]+ +[\d.]+ +[\d.]+ +0\.250 (reached|missed)$/m', $run->getOutput());
        $json = json_decode((string) file_get_contents($file), true, flags: \JSON_THROW_ON_ERROR);
        self::assertIsArray($json);
        self::assertSame(['fetch-10', 'store-10'], array_keys($json));
        foreach ($json as $figure) {
            self::assertIsArray($figure);
            self::assertSame(['work', 'peer', 'ours', 'theirs', 'ratio', 'bound', 'rounds'], array_keys($figure));
            self::assertGreaterThan(0, $figure['ours']);
            self::assertSame(2, $figure['rounds']);
        }
    }

    public function testARowUnderFpmIsMeasured(): void
    {
        $run = self::figures(['--rows=attach', '--rounds=1']);
        $run->mustRun();
        self::assertMatchesRegularExpression('/^  beside 100 us +[\d.,]+ +100,000 /m', $run->getOutput());
    }

    public function testUnknownRowsAreRefusedWithTheKnownOnes(): void
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
        return new Process([self::ROOT . '/larder', 'figures', ...$arguments], timeout: 120);
    }
}
