<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** A way to write a report. Outputs lists them; each is an option of `larder compare`. */
interface Output
{
    /**
     * @param string $file to write; "php://stdout" for the option's value "-"; a directory where the output makes
     *         several files
     * @throws \RuntimeException which names the file and what to do
     */
    public function write(Report $report, string $file): void;
}
