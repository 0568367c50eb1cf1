<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** A way to write a report. Outputs lists them; each is an option of `larder compare`. */
interface Output
{
    /**
     * @param string $file file to write; "php://stdout" for the option's value "-"; a directory if the output creates
     *         several files
     * @throws \RuntimeException names the file and the remedy
     */
    public function write(Report $report, string $file): void;
}
