<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Published;

/** The published figure that stands beside a row: of the same store, reached the same way, for the same value. */
final class SameRow
{
    /** The study that a value is from. */
    private const STUDIES = ['50 x 50 array' => '2016'];
    private const OTHER_STUDY = '2013';

    /** Where the studies have another name: APCu is what remained of APC without its opcode cache. */
    private const ENGINES = ['apcu' => 'apc'];

    public function __construct(private readonly Published $published) {}

    public static function study(Value $value): string
    {
        return self::STUDIES[$value->name] ?? self::OTHER_STUDY;
    }

    /** @return float|null nanoseconds */
    public function of(Row $row): ?float
    {
        $target = $row->target;
        $with = [
            'study' => self::study($row->value),
            'engine' => self::ENGINES[$target->store] ?? $target->store,
            // The studies' files were on disks, and their PHP files in an opcode cache.
            'connection' => $target->connection === 'disk' ? null : $target->connection,
            'value' => $row->value->name,
            'operation' => $row->operation->value,
        ];
        if ($with['study'] === '2016') {
            // The library's stores serialize as PHP does unless told otherwise, and do not compress.
            $with['serializer'] = 'php';
            $with['compression'] = $target->store === 'memcached' ? 'off' : null;
        }

        return $this->published->nanoseconds($with);
    }
}
