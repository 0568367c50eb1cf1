<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

/** Dates of HTTP headers (RFC 9110 5.6.7). strtotime() would take "-1" for an hour from now, and "tomorrow" too. */
final class HttpDate
{
    private const FORMATS = ['!d M Y H:i:s \G\M\T', '!d-M-y H:i:s \G\M\T', '!M j H:i:s Y'];

    /** @return int|null unix time; null for anything else */
    public static function parse(string $date): ?int
    {
        // Without the day of the week: PHP would move the date to that day.
        $date = preg_replace(['~^[A-Z][a-z]+,? ~', '~ +~'], ['', ' '], trim($date));
        foreach (self::FORMATS as $format) {
            $time = \DateTimeImmutable::createFromFormat($format, (string) $date, new \DateTimeZone('UTC'));
            if ($time !== false && \DateTimeImmutable::getLastErrors() === false) {
                return $time->getTimestamp();
            }
        }

        return null;
    }

    public static function format(float $time): string
    {
        return gmdate('D, d M Y H:i:s \G\M\T', (int) $time);
    }
}
