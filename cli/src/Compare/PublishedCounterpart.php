<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Published;
use Larder\Cli\Report\PublishedFigure;

/** The published figure for a row of `compare`: of the same store, connection and value. */
final class PublishedCounterpart
{
    /** Study of each value; others are of 2013. */
    private const STUDIES = ['50 x 50 array' => '2016'];
    private const OTHER_STUDY = '2013';

    /** Names of stores in the studies, if they differ. APCu is APC without the opcode cache. */
    private const ENGINES = ['apcu' => 'apc'];

    public function __construct(private readonly Published $published) {}

    public static function study(string $value): string
    {
        return self::STUDIES[$value] ?? self::OTHER_STUDY;
    }

    public function of(Subject $subject): ?PublishedFigure
    {
        if ($subject->settings !== []) {
            return null; // no study measured this
        }
        $study = self::study((string) $subject->value);
        $engine = self::ENGINES[$subject->store] ?? $subject->store;
        $with = [
            'study' => $study,
            'engine' => $engine,
            // The studies kept files on disks, and PHP files in an opcode cache.
            'connection' => $subject->connection === 'disk' ? null : $subject->connection,
            'value' => $subject->value,
            'operation' => $subject->operation,
        ];
        if ($study === '2016') {
            // By default, the library's stores use PHP's serializer and no compression.
            $with['serializer'] = 'php';
            $with['compression'] = $subject->store === 'memcached' ? 'off' : null;
        }
        $nanoseconds = $this->published->nanoseconds($with);

        return $nanoseconds === null ? null : new PublishedFigure($nanoseconds, $study, $engine);
    }
}
