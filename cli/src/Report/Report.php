<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;

/** The result of a run, from which every output (tables, JSON, HTML, advice, differences) is made. */
final class Report
{
    /**
     * @param array<string, mixed> $environment the machine, versions and settings, for json_encode()
     * @param list<Row> $rows
     * @param list<array{subject: Subject, reason: string}> $notMeasured
     * @param list<string> $spoilers facts that may have spoiled the run: turbo, steal time, a busy machine
     */
    public function __construct(
        public readonly array $environment,
        public readonly array $rows,
        public readonly array $notMeasured = [],
        public readonly array $spoilers = [],
    ) {}
}
