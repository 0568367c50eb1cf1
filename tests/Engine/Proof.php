<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Assert;

/**
 * Records how a guarantee was tested, and the result.
 *
 * A proof is a test that reports figures. LARDER_PROOF=long makes it try more; LARDER_PROOF_RESULTS names a file that
 * receives one JSON object a line, from any number of processes at once.
 */
final class Proof
{
    /** Prefixes of the names. */
    private const AREAS = [
        'reading', 'death', 'holding', 'fullness', 'bound', 'sharing', 'neighbours', 'damage', 'fork', 'versions', 'model', 'clock',
        'reentrance', 'leftovers', 'observability',
    ];

    public static function isLong(): bool
    {
        return getenv('LARDER_PROOF') === 'long';
    }

    /**
     * Number of tries: the first usually, the second in the long version.
     *
     * @template T of int|float
     * @param T $short
     * @param T $long
     * @return T
     */
    public static function amount(int|float $short, int|float $long): int|float
    {
        return self::isLong() ? $long : $short;
    }

    /**
     * Records the tries of a guarantee. Fails unless it held each time.
     *
     * @param string $proof area.name
     * @param int $tried number of tries
     * @param string $unit what is counted, as a plural
     * @param int $failed number of tries in which it did not hold
     * @param array<string, string> $figures further measurements, by name
     * @param int|null $seed seed of the random numbers
     */
    public static function record(string $proof, int $tried, string $unit, int $failed, array $figures = [], ?int $seed = null): void
    {
        $line = ['proof' => $proof, 'tried' => $tried, 'unit' => $unit, 'failed' => $failed];
        if ($figures !== []) {
            $line['figures'] = $figures;
        }
        if ($seed !== null) {
            $line['seed'] = $seed;
        }
        self::write($line);
        Assert::assertGreaterThan(0, $tried, "$proof: nothing was tried");
        Assert::assertSame(0, $failed, "$proof: $failed of $tried $unit failed");
    }

    /**
     * Records the same test on a build or cache without the guarantee. Fails if the test did not notice.
     *
     * @param string $what the build or cache, and what was done to it
     */
    public static function control(string $proof, string $what, int $tried, int $failed): void
    {
        self::write(['proof' => $proof, 'control' => $what, 'tried' => $tried, 'failed' => $failed]);
        Assert::assertGreaterThan(0, $failed, "$proof: the control did not fail: $what");
    }

    /** @param array{proof: string, ...} $line */
    private static function write(array $line): void
    {
        [$area, $name] = [...explode('.', $line['proof'], 2), ''];
        Assert::assertContains($area, self::AREAS);
        Assert::assertMatchesRegularExpression('/^[a-z0-9-]+$/', $name);
        $file = getenv('LARDER_PROOF_RESULTS');
        if ($file !== false && $file !== '') {
            // A single write in append mode, so that lines of several processes do not mix.
            file_put_contents($file, json_encode($line, \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE) . "\n", \FILE_APPEND);
        }
    }
}
