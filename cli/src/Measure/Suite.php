<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/**
 * What a run measures: the stores of `compare`, a study, a workload. Suites lists those that have a name. A suite that
 * knows published figures or artefacts of its rows is an Annotator too.
 *
 * Processes of a suite may use all cores, unless the suite calls CpuAffinity::pin() before it starts its servers.
 */
interface Suite
{
    /**
     * Starts what the blocks need (servers, directories), which the StoreLocations given to the suite stops again.
     *
     * @param \Closure(Subject, string): void $notMeasured called for each row that cannot be measured here, with the
     *         reason
     * @return list<Block> in the order of the report
     */
    public function blocks(\Closure $notMeasured): array;
}
