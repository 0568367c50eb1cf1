<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\JsonLinesFile;

/** The result for programs. Its shape is described in docs/compare.md. */
final class JsonReport
{
    /** Raised when a program that reads the file would have to change. */
    private const FORMAT = 2;

    public static function write(JsonLinesFile $file, Plan $plan, Result $result, Environment $environment): void
    {
        $file->write([
            'format' => self::FORMAT,
            'measured_on' => [
                'date' => $environment->date,
                'php' => $environment->php,
                'sapi' => $environment->sapi,
                'opcache' => $environment->opcache,
                'jit' => $environment->jit,
                'extensions' => (object) $environment->extensions,
                'servers' => (object) $environment->servers,
                'system' => $environment->system,
                'processor' => $environment->processor,
                'cores' => $environment->cores,
                'pinned_to' => $environment->pinnedTo,
                'file_systems' => (object) $environment->fileSystems,
            ],
            'rounds' => $plan->rounds,
            'not_measured' => array_map(static fn(NotMeasured $store): array => get_object_vars($store), $result->notMeasured),
        ], array_map(self::row(...), $result->rows));
    }

    /** @return array<string, mixed> */
    private static function row(Row $row): array
    {
        $rounded = static fn(?float $nanoseconds): ?float => $nanoseconds === null ? null : round($nanoseconds, 1);

        return [
            'store' => $row->target->store,
            'connection' => $row->target->connection,
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
