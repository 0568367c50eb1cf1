<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Published;
use Larder\Cli\Report\PublishedFigure;

/**
 * The published figure that stands beside a row of `compare`: of the same store, reached the same way, for the same
 * value.
 */
final class PublishedCounterpart
{
    /** The study that a value is from. */
    private const STUDIES = ['50 x 50 array' => '2016'];
    private const OTHER_STUDY = '2013';

    /** Where the studies have another name: APCu is what remained of APC without its opcode cache. */
    private const ENGINES = ['apcu' => 'apc'];

    public function __construct(private readonly Published $published) {}

    public static function study(string $value): string
    {
        return self::STUDIES[$value] ?? self::OTHER_STUDY;
    }

    public function of(Subject $subject): ?PublishedFigure
    {
        if ($subject->settings !== []) {
            return null; // no study measured that
        }
        $study = self::study((string) $subject->value);
        $engine = self::ENGINES[$subject->store] ?? $subject->store;
        $with = [
            'study' => $study,
            'engine' => $engine,
            // The studies' files were on disks, and their PHP files in an opcode cache.
            'connection' => $subject->connection === 'disk' ? null : $subject->connection,
            'value' => $subject->value,
            'operation' => $subject->operation,
        ];
        if ($study === '2016') {
            // The library's stores serialize as PHP does unless told otherwise, and do not compress.
            $with['serializer'] = 'php';
            $with['compression'] = $subject->store === 'memcached' ? 'off' : null;
        }
        $nanoseconds = $this->published->nanoseconds($with);

        return $nanoseconds === null ? null : new PublishedFigure($nanoseconds, $study, $engine);
    }
}
