<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/**
 * A part of a run: the stores of `compare`, a study or a workload. Suites lists those with a name. A suite with
 * published figures or notes for its rows is an Annotator too.
 *
 * Processes of a suite may use all cores, unless the suite calls CpuAffinity::pin() before it starts its servers.
 */
interface Suite
{
    /**
     * Starts the servers and directories that the blocks need. The StoreLocations given to the suite removes them.
     *
     * @param \Closure(Subject, string): void $notMeasured called for each row that cannot be measured here, with the
     *         reason
     * @return list<Block> in the order of the report
     */
    public function blocks(\Closure $notMeasured): array;
}
