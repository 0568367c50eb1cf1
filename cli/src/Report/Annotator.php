<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

use Larder\Cli\Measure\Subject;

/** A suite that knows more of its rows than their figures. */
interface Annotator
{
    /** The figure that a study published for the same subject; null if none did. */
    public function published(Subject $subject): ?PublishedFigure;

    /** @return list<string> what a reader must know of this row, such as a known artefact */
    public function notes(Subject $subject): array;

    /** @return list<Row> published rows of engines that no longer exist for today's PHP */
    public function historic(): array;
}
