<?php

declare(strict_types=1);

namespace Larder\Cli\Workload;

use Larder\Cli\Measure\Sample;
use Larder\Cli\Measure\Subject;
use Larder\Cli\Measure\Unavailable;
use Larder\Exception\CacheException;

/** A measurement of one store in a fresh process. It is serialized, and run there; see TaskBlock. */
interface Task
{
    /** Shown as progress; unique within a suite. */
    public function name(): string;

    /** @return non-empty-list<Subject> in the order of the report */
    public function subjects(): array;

    /**
     * @param \Closure(Sample): void $tell called once for each subject
     * @throws CacheException when the store cannot be opened
     * @throws Unavailable when it cannot be measured here
     * @throws \RuntimeException when it fails
     */
    public function run(\Closure $tell): void;
}
