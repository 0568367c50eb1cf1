<?php

declare(strict_types=1);

namespace Larder\Lab\Figures;

/** The settings for measuring both caches: equal memory, and a new segment for each row. */
final class Engine
{
    /** Environment variable that names the folder of the segment. The folder is removed after the row. */
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
