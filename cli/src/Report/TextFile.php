<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** Writes what an output made. */
final class TextFile
{
    /**
     * @param string $file or "php://stdout"
     * @throws \RuntimeException
     */
    public static function write(string $file, string $text): void
    {
        if (@file_put_contents($file, $text) !== \strlen($text)) {
            throw new \RuntimeException(\sprintf('%s could not be written: %s', $file, error_get_last()['message'] ?? 'the disk is full'));
        }
    }
}
