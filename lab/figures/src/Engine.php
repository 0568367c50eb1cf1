<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** The settings under which both caches are measured: equal memory, a segment of the row's own. */
final class Engine
{
    /** Where the segment lies: a folder that goes when the row has been measured. The environment names it. */
    public const FOLDER_VARIABLE = 'LARDER_FIGURES_FOLDER';

    /** @return array<string, string> */
    public static function settings(): array
    {
        $folder = getenv(self::FOLDER_VARIABLE);

        return [
            'larder.size' => '256M',
            'larder.path' => $folder === false ? '/dev/shm' : $folder,
            'apc.enable_cli' => '1',
            'apc.shm_size' => '256M',
            'apc.serializer' => 'php',
        ];
    }
}
