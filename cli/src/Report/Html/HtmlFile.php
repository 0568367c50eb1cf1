<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Advice\Advice;
use Larder\Cli\Report\Output;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\TextFile;

/** `larder compare --html FILE`: one page that shows the report, and needs nothing beside it. See docs/report.md. */
final class HtmlFile implements Output
{
    public function write(Report $report, string $file): void
    {
        TextFile::write($file, (new Page($report, Advice::of($report)))->html());
    }
}
