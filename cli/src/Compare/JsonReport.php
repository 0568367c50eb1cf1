<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** The result for programs. Its shape is described in docs/compare.md. */
final class JsonReport
{
    /** Raised when a program that reads the file would have to change. */
    private const FORMAT = 1;

    public static function of(Plan $plan, Result $result, Environment $circumstances): string
    {
        $document = [
            'format' => self::FORMAT,
            'measured_on' => [
                'date' => $circumstances->date,
                'php' => $circumstances->php,
                'sapi' => $circumstances->sapi,
                'opcache' => $circumstances->opcache,
                'jit' => $circumstances->jit,
                'extensions' => (object) $circumstances->extensions,
                'servers' => (object) $circumstances->servers,
                'system' => $circumstances->system,
                'processor' => $circumstances->processor,
                'cores' => $circumstances->cores,
                'pinned_to' => $circumstances->pinnedTo,
                'file_systems' => (object) $circumstances->fileSystems,
            ],
            'rounds' => $plan->rounds,
            'not_measured' => array_map(static fn(NotMeasured $store): array => get_object_vars($store), $result->notMeasured),
            'rows' => array_map(self::row(...), $result->rows),
        ];

        return json_encode($document, \JSON_THROW_ON_ERROR | \JSON_PRETTY_PRINT | \JSON_PRESERVE_ZERO_FRACTION | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE) . "\n";
    }

    /** @return array<string, mixed> */
    private static function row(Row $row): array
    {
        $rounded = static fn(?float $nanoseconds): ?float => $nanoseconds === null ? null : round($nanoseconds, 1);

        return [
            'store' => $row->subject->store,
            'connection' => $row->subject->connection,
            'value' => $row->value->name,
            'bytes' => $row->value->bytes,
            'operation' => $row->operation->value,
            'median_ns' => $rounded($row->median),
            'low_ns' => $rounded($row->low),
            'high_ns' => $rounded($row->high),
            'rounds' => $row->rounds,
            'failures' => $row->failures,
        ];
    }
}
