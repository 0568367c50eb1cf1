<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Workload;

use Larder\Cli\Workload\ObjectsTask;
use Larder\Cli\Workload\TaskBlock;

final class ObjectsTest extends TaskTestCase
{
    public function testObjectsAreReadAndWritten(): void
    {
        $samples = self::samples(new TaskBlock(new ObjectsTask('tested', null, $this->files(), 1)));
        self::assertCount(6, $samples);
        foreach ($samples as $sample) {
            self::assertSame([0, ''], [$sample->failures, $sample->problem]);
            self::assertGreaterThan(0, $sample->figure);
        }
    }

    public function testChangedObjectsFail(): void
    {
        $samples = self::samples(new TaskBlock(new ObjectsTask('tested', null, ArrayMakingStore::class, 1)));
        self::assertCount(6, $samples);
        foreach ($samples as $sample) {
            self::assertNull($sample->figure);
            self::assertSame('changes values', $sample->problem);
        }
    }
}
