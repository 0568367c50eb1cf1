<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/**
 * The smallest part of a run: what one fresh process, or one run of a load generator, measures. A block gives one
 * sample for each of its subjects. The runner runs every block once a round, in a shuffled order, for ten rounds or
 * more; the samples of a subject, one a round, make its row.
 */
interface Block
{
    /** Unique within the run, and the same in a run that continues this one. Shown as progress. */
    public function name(): string;

    /** @return non-empty-list<Subject> in the order of the report */
    public function subjects(): array;

    /**
     * Measures once. A store that fails is told as a sample that failed; what it did not tell when it returns counts as
     * failed too.
     *
     * @param \Closure(Sample): void $tell called once for each subject, as soon as its figure is there
     * @throws Unavailable when the store is not there: then it is not measured, and the message says how to get it
     */
    public function run(\Closure $tell): void;

    /** Ends at once what run() has started; called when the run is interrupted. */
    public function stop(): void;
}
