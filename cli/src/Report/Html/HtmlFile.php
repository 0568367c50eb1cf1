<?php

declare(strict_types=1);

namespace Larder\Cli\Report\Html;

use Larder\Cli\Advice\Profile;
use Larder\Cli\Report\Output;
use Larder\Cli\Report\Report;
use Larder\Cli\Report\TextFile;

/** `larder compare --html FILE`: one page that shows the report and needs no other file. See docs/measure.md. */
final class HtmlFile implements Output
{
    /** @param Profile|null $profile what the advice on the page is for */
    public function __construct(private readonly ?Profile $profile = null) {}

    public function write(Report $report, string $file): void
    {
        TextFile::write($file, (new Page($report, $this->profile))->html());
    }
}
