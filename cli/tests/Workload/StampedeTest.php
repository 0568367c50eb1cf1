<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Compare\Target;
use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Report\Kind;
use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\Workload\StampedeBlock;

final class StampedeTest extends TaskTestCase
{
    public function testOneProcessComputesForAll(): void
    {
        $figures = $this->figures($this->files());
        self::assertSame([1.0, 2.0], [$figures['computations'], $figures['computations, one killed']]);
        self::assertGreaterThan(0.0, $figures['last answer after a kill']);
    }

    public function testWithoutACacheAllProcessesCompute(): void
    {
        $figures = $this->figures('none:');
        self::assertSame([5.0, 6.0], [$figures['computations'], $figures['computations, one killed']]);
    }

    public function testStoreThatIsNotThereIsNamed(): void
    {
        $this->expectException(Unavailable::class);
        $this->figures('redis:///nowhere/redis.sock');
    }

    /** @return array<string, float|null> */
    private function figures(string $dsn): array
    {
        $directory = new TemporaryDirectory();
        $figures = [];
        (new StampedeBlock(new Target('tested', null, $dsn, Kind::Local), $directory->path, 5, 0.2, 5.0))->run(
            static function (Sample $sample) use (&$figures): void {
                self::assertSame('', $sample->problem);
                $figures[$sample->subject->operation] = $sample->figure;
            },
        );

        return $figures;
    }
}
