<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Compare\Target;
use Larder\Cli\Report\Kind;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Workload\Safety;
use Larder\Cli\Workload\SafetyBlock;
use PHPUnit\Framework\Attributes\DataProvider;

final class SafetyTest extends TaskTestCase
{
    public function testFilesKeepValuesOfEightWriters(): void
    {
        $counts = self::counts($this->files());
        self::assertGreaterThan(0, $counts[Safety::OPERATIONS]);
        $refused = Safety::COUNTS['refused'];
        foreach (array_diff(Safety::COUNTS, [$refused]) as $count) {
            self::assertSame(0.0, $counts[$count], $count);
        }
        // Per million. A busy machine may stop a writer, and the others cannot write its key during that.
        self::assertLessThan(50_000.0, $counts[$refused]);
    }

    /** @return iterable<string, array{class-string, string}> */
    public static function unsafeStores(): iterable
    {
        yield 'loses values' => [ForgetfulStore::class, 'lost'];
        yield 'changes a byte' => [MixingStore::class, 'torn'];
        yield 'gives the value of another key' => [SwappingStore::class, 'wrong'];
        yield 'keeps replaced values' => [LaggingStore::class, 'old'];
        yield 'refuses values' => [PickyStore::class, 'refused'];
    }

    /** @param class-string $store */
    #[DataProvider('unsafeStores')]
    public function testUnsafeStoreIsFoundOut(string $store, string $count): void
    {
        $found = static fn(array $counts): bool => ($counts[Safety::COUNTS[$count] ?? ''] ?? 0.0) > 0.0;
        self::assertTrue($found(self::counts($store, $found)));
    }

    /**
     * Uses a shorter time if that suffices: on a busy machine, writers may start late.
     *
     * @param (\Closure(array<string, float|null>): bool)|null $suffices
     * @return array<string, float|null>
     */
    private static function counts(string $address, ?\Closure $suffices = null): array
    {
        $counts = $problems = [];
        foreach ([200, 2_000, 20_000] as $milliseconds) {
            $directory = new TemporaryDirectory();
            $counts = $problems = [];
            foreach (self::samples(
                new SafetyBlock(new Target('tested', null, $address, Kind::Local), $directory->path, 8, $milliseconds),
            ) as $sample) {
                $problems[$sample->problem] = true;
                $counts[$sample->subject->operation] = $sample->figure;
            }
            if ($problems === ['' => true] && ($suffices === null || $suffices($counts))) {
                break;
            }
        }
        self::assertSame(['' => true], $problems);

        return $counts;
    }
}
