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
    /** Unique within the run, and the same in a run that continues it. Shown as progress. */
    public function name(): string;

    /** @return non-empty-list<Subject> in the order of the report */
    public function subjects(): array;

    /**
     * Measures once. If a store fails, its sample is a failed one. A subject without a sample when this returns has
     * failed too.
     *
     * @param \Closure(Sample): void $tell called once for each subject, as soon as its figure is known
     * @throws Unavailable if the store cannot be used here. It is then not measured, and the message says how to
     *         install it
     */
    public function run(\Closure $tell): void;

    /** Ends at once everything that run() has started; called if the run is interrupted. */
    public function stop(): void;
}
