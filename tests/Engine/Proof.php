<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Engine;

use PHPUnit\Framework\Assert;

/**
 * The record of how a promise was tested, and of the result.
 *
 * A proof is a test that tells its figures. LARDER_PROOF=long makes it try more; LARDER_PROOF_RESULTS names a file that
 * gets one JSON object a line, from any number of processes at once.
 */
final class Proof
{
    /** What a name begins with. */
    private const AREAS = [
        'reading', 'death', 'holding', 'fullness', 'bound', 'sharing', 'neighbours', 'damage', 'fork', 'versions', 'model', 'clock',
        'reentrance', 'leftovers', 'observability',
    ];

    public static function isLong(): bool
    {
        return getenv('LARDER_PROOF') === 'long';
    }

    /**
     * How much to try: so much usually, so much in the long version.
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
     * A promise was tried. Fails if it was not kept each time.
     *
     * @param string $proof area.name
     * @param int $tried how often
     * @param string $unit what is counted, as a plural
     * @param int $failed how often it was not kept
     * @param array<string, string> $figures what else was measured, by name
     * @param int|null $seed of what was drawn at random
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
     * The same was tried where it cannot be kept. Fails if the test did not notice.
     *
     * @param string $what on which build or on whose cache, and what was done to it
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
            // One write to a file opened for appending: lines of other processes come before or after it.
            file_put_contents($file, json_encode($line, \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE) . "\n", \FILE_APPEND);
        }
    }
}
