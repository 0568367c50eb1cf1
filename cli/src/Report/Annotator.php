<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;

/** A suite that adds notes and published figures to its rows. */
interface Annotator
{
    /** The figure that a study published for the same subject; null if there is none. */
    public function published(Subject $subject): ?PublishedFigure;

    /** @return list<string> facts that a reader of this row needs, such as a known artefact */
    public function notes(Subject $subject): array;

    /** @return list<Row> published rows of engines that no longer exist for today's PHP */
    public function historic(): array;
}
