<?php

declare(strict_types=1);

namespace Larder\Cli\System;

/**
 * Text from other sources for the terminal, without control characters. They could move the cursor, change colors and
 * the title, or begin a line that looks like one of this program.
 */
final class PlainText
{
    private const CONTROLS = '/[\p{Cc}\p{Zl}\p{Zp}\x{202A}-\x{202E}\x{2066}-\x{2069}]+/u';

    /** @param string $text in UTF-8, as JSON is */
    public static function of(string $text): string
    {
        return (string) preg_replace(self::CONTROLS, ' ', $text);
    }

    /**
     * @param array<mixed> $values
     * @return array<mixed> the same with plain names and texts, at any depth
     */
    public static function ofAll(array $values): array
    {
        $plain = [];
        foreach ($values as $name => $value) {
            $plain[\is_string($name) ? self::of($name) : $name] = match (true) {
                \is_array($value) => self::ofAll($value),
                \is_string($value) => self::of($value),
                default => $value,
            };
        }

        return $plain;
    }
}
