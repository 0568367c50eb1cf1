<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/**
 * Writes the text of an output. A regular file is replaced as a whole or not at all; a device or pipe is written
 * directly.
 */
final class TextFile
{
    /**
     * @param string $file or "php://stdout"
     * @throws \RuntimeException
     */
    public static function write(string $file, string $text): void
    {
        $isReplaced = !str_contains($file, '://') && (is_file($file) || !file_exists($file));
        $target = $isReplaced ? \sprintf('%s.%s.new', $file, bin2hex(random_bytes(8))) : $file;
        // "x" fails if another user has planted a link there.
        $handle = @fopen($target, $isReplaced ? 'x' : 'w');
        $isWritten = $handle !== false && @fwrite($handle, $text) === \strlen($text);
        if (!$isWritten || ($isReplaced && !@rename($target, $file))) {
            $reason = error_get_last()['message'] ?? 'the disk is full';
            if ($isReplaced && $handle !== false) {
                @unlink($target);
            }

            throw new \RuntimeException(\sprintf('%s could not be written: %s', $file, $reason));
        }
        fclose($handle);
    }
}
