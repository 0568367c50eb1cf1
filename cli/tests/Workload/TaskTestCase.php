<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Measure\Block;
use Larder\Cli\Measure\Runner;
use Larder\Cli\Measure\Sample;
use Larder\Cli\System\FileSystem;
use Larder\Cli\System\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

/** Runs tasks in real processes, on stores that work and stores that do not. */
abstract class TaskTestCase extends TestCase
{
    private ?TemporaryDirectory $directory = null;

    protected function setUp(): void
    {
        $this->directory = new TemporaryDirectory(FileSystem::tmpfs());
        $_ENV[OverFiles::DIRECTORY] = $this->directory->path; // Symfony's Process passes $_ENV on
    }

    protected function tearDown(): void
    {
        unset($_ENV[OverFiles::DIRECTORY]);
        $this->directory?->remove();
    }

    /** A DSN of files that all processes of the test share. */
    protected function files(string $options = ''): string
    {
        return \sprintf('file://%s%s', $this->directory?->path, $options);
    }

    /** @return list<Sample> */
    protected static function samples(Block $block): array
    {
        $samples = [];
        (new Runner([$block], 1))->run(
            static function (Sample $sample) use (&$samples): void {
                $samples[] = $sample;
            },
            static fn(Block $block, string $reason): never => self::fail($reason),
            static function (): void {},
        );

        return $samples;
    }
}
