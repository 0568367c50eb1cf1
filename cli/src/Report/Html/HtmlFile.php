<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Report\Output;
use Larder\Cli\Report\Report;

/** `larder compare --html FILE`: one page that shows the report, and needs nothing beside it. See docs/report.md. */
final class HtmlFile implements Output
{
    public function write(Report $report, string $file): void
    {
        $page = (new Page($report))->html();
        if (@file_put_contents($file, $page) !== \strlen($page)) {
            throw new \RuntimeException(\sprintf('%s could not be written: %s', $file, error_get_last()['message'] ?? 'the disk is full'));
        }
    }
}
