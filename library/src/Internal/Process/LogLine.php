<?php

declare(strict_types=1);

namespace Larder\Internal\Process;

/** Text of servers and programs as one line of a log, so that it cannot forge another one. */
final class LogLine
{
    /** @return string with a space for line breaks and control characters, also those of Unicode */
    public static function of(string $text): string
    {
        return (string) preg_replace('/(?:[\x00-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8\xa9])+/', ' ', $text);
    }

    /** Writes a line to PHP's error log, unless the host disables error_log(). */
    public static function write(string $text): void
    {
        try {
            error_log(self::of($text));
        } catch (\Error) {
        }
    }
}
