<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Advice;

use Larder\Cli\Advice\Profile;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Internal\Decorator\Sampling\Recording;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ProfileTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory(sys_get_temp_dir());
    }

    protected function tearDown(): void
    {
        $this->directory->remove();
    }

    public function testRecordingBecomesAProfileThatCanBeRead(): void
    {
        $recording = Recording::empty()
            ->with(['hit string 10' => 60, 'hit other 14' => 20, 'miss' => 10, 'write string 0' => 10], 100, 400.0);
        $profile = $this->read((string) Profile::of($recording));
        self::assertEqualsWithDelta([768 => 60 / 90, 0 => 10 / 90], $profile->strings, 1e-5);
        self::assertEqualsWithDelta([12_288 => 20 / 90], $profile->others, 1e-5);
        self::assertEqualsWithDelta(
            [0.9, 80 / 90, 25.0],
            [$profile->readShare, $profile->hitRate, $profile->operationsPerRequest],
            1e-5,
        );
        self::assertSame([100, null, null], [$profile->samples, $profile->requestsPerSecond, $profile->machines]);
    }

    public function testFieldsAreRead(): void
    {
        $profile = $this->read('{"format": 1, "machines": 3, "store": "redis tcp", "requests_per_second": 120.5, "operations_per_request": 14, "read_share": 1, "hit_rate": 0.5,
            "compute_ms": 50, "data_mb": 900, "memory_mb": 256, "strings": {"200": 3, "5000": 1}, "others": {}}');
        self::assertEquals(
            new Profile([200 => 0.75, 5000 => 0.25], [], 1.0, 0.5, 14.0, 120.5, 3, 'redis tcp', 50.0, 900.0, 256.0),
            $profile,
        );
    }

    #[TestWith(['', 'is not a JSON object with "format": 1'])]
    #[TestWith(['{"format": 2, "strings": {"1": 1}}', 'is not a JSON object with "format": 1'])]
    #[TestWith([
        '{"format": 1, "strings": {"1": 1}, "hitrate": 1}',
        'hitrate is not known. Known: store, strings, others, read_share, hit_rate',
    ])]
    #[TestWith(['{"format": 1, "strings": {"1": 1}, "\u001b[2Jhits": 1}', ' [2Jhits is not known.'])]
    #[TestWith(['{"format": 1, "strings": {"1": 1}, "hit_rate": 90}', 'hit_rate is not a number from 0 to 1'])]
    #[TestWith(['{"format": 1, "strings": {"1": 1}, "machines": 1.5}', 'machines is not a number from 1 to'])]
    #[TestWith(['{"format": 1, "strings": {"1": 1}, "store": 7}', 'store is not a string such as "redis tcp"'])]
    #[TestWith(['{"format": 1, "strings": {"1k": 1}}', 'strings is not a list of shares by size in bytes'])]
    #[TestWith(['{"format": 1, "others": "many"}', 'others is not a list of shares by size in bytes'])]
    #[TestWith(['{"format": 1, "strings": {"10": -1}}', 'strings is not a list of shares by size in bytes'])]
    #[TestWith(['{"format": 1, "strings": {"10": 0}}', 'has no sizes'])]
    #[TestWith(['{"format": 1}', 'has no sizes'])]
    public function testMistakeIsNamed(string $text, string $message): void
    {
        $this->expectException(\RuntimeException::class);
        $this->expectExceptionMessage($this->directory->path . '/profile.json: ' . $message);
        $this->read($text);
    }

    public function testMissingFileIsNamed(): void
    {
        $this->expectExceptionMessage('/none cannot be read. To make a profile: larder sample --show');
        Profile::read($this->directory->path . '/none');
    }

    private function read(string $text): Profile
    {
        file_put_contents($this->directory->path . '/profile.json', $text);

        return Profile::read($this->directory->path . '/profile.json');
    }
}
