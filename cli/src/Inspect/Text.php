<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Symfony\Component\Console\Helper\Helper;

/** What is in a cache, for a terminal. Anybody may have written it, so none of it may act on the terminal. */
final class Text
{
    private const DEPTH = 8;
    private const ELEMENTS = 200;
    private const BYTES = 2000;
    private const SHORT = ["\n" => '\n', "\r" => '\r', "\t" => '\t'];
    private const INCOMPLETE = '__PHP_Incomplete_Class_Name';

    /** Control, format (such as bidi), private and unassigned characters become "\n" or "\u{202e}". */
    public static function plain(string $text): string
    {
        if (preg_match('/^[\x20-\x7e]*$/D', $text) === 1) {
            return $text;
        }
        $escaped = preg_replace_callback('/[\p{C}\p{Zl}\p{Zp}]/u', static function (array $found): string {
            return self::SHORT[$found[0]] ?? \sprintf('\u{%x}', mb_ord($found[0], 'UTF-8'));
        }, $text);

        return $escaped ?? (string) preg_replace_callback(
            '/[^\x20-\x7e]/',
            static fn(array $found): string => \sprintf('\x%02x', \ord($found[0])),
            $text,
        );
    }

    /** "1 entry", "1,234 entries" */
    public static function entries(int $count): string
    {
        return number_format($count) . ($count === 1 ? ' entry' : ' entries');
    }

    /** plain() for each line of a text. */
    public static function lines(string $text): string
    {
        return implode("\n", array_map(self::plain(...), explode("\n", $text)));
    }

    /** @param int $width columns */
    public static function key(string $key, int $width): string
    {
        $plain = self::plain($key);
        // Any number of combining marks has no width, and is one character to Symfony. PHP may lack mbstring and iconv.
        $characters = (int) preg_match_all('/./su', $plain);
        if (Helper::width($plain) <= $width && $characters <= 2 * $width) {
            return $plain;
        }
        $rest = \sprintf('… (%s characters)', number_format($characters));
        $left = max(0, $width - Helper::width($rest));
        do {
            $text = preg_match("/^.{0,$left}/su", $plain, $match) === 1 ? $match[0] : '';
        } while (Helper::width($text . $rest) > $width && --$left >= 0); // of wide characters

        return $text . $rest;
    }

    /** The plain key, with its middle left out if it is too long. @param int $width columns */
    public static function middle(string $key, int $width): string
    {
        $plain = self::plain($key);
        if (Helper::width($plain) <= $width && (int) preg_match_all('/./su', $plain) <= 2 * $width) {
            return $plain;
        }
        $left = intdiv($width - 1, 2);
        do {
            preg_match("/^(.{0,$left}).*?(.{0,$left})$/Dsu", $plain, $ends);
            $text = ($ends[1] ?? '') . '…' . ($ends[2] ?? '');
        } while (Helper::width($text) > $width && --$left > 0); // of wide characters

        return $text;
    }

    public static function time(float $seconds): string
    {
        return match (true) {
            $seconds < 120 => \sprintf('%d s', ceil($seconds)),
            $seconds < 2 * 3600 => \sprintf('%d min', intdiv((int) $seconds, 60)),
            $seconds < 2 * 86400 => \sprintf('%d h', intdiv((int) $seconds, 3600)),
            default => \sprintf('%s days', number_format(intdiv((int) $seconds, 86400))),
        };
    }

    public static function percent(int $part, int $of): string
    {
        return $of === 0 ? '-' : \sprintf('%d %%', round(100 * $part / $of));
    }

    /** PHP's own form of json_encode() has ASCII only; keys that are not UTF-8 are escaped as on the terminal. */
    public static function json(mixed $data): string
    {
        $flags = \JSON_THROW_ON_ERROR | \JSON_PRETTY_PRINT | \JSON_UNESCAPED_SLASHES | \JSON_PRESERVE_ZERO_FRACTION;

        return str_replace("\x7f", '\u007f', json_encode($data, $flags));
    }

    /** A string of json(), which must be UTF-8. */
    public static function utf8(string $text): string
    {
        return preg_match('//u', $text) === 1 ? $text : self::plain($text);
    }

    /**
     * A value, of whose objects no code runs.
     *
     * @param list<int> $within ids of the objects around it
     */
    public static function value(mixed $value, string $indent = '', array $within = []): string
    {
        return match (true) {
            \is_string($value) => '"' . self::plain(substr($value, 0, self::BYTES)) . '"' . (\strlen($value) > self::BYTES
                ? \sprintf(' and %s bytes more', number_format(\strlen($value) - self::BYTES))
                : ''),
            $value instanceof \UnitEnum => self::plain($value::class . '::' . $value->name),
            \is_object($value) => self::object($value, $indent, $within),
            \is_array($value) => self::elements($value, '[', ']', $indent, $within),
            \is_float($value) => var_export($value, true),
            default => json_encode($value, \JSON_THROW_ON_ERROR),
        };
    }

    /** The same for json(). */
    public static function data(mixed $value, int $depth = 0): mixed
    {
        return match (true) {
            \is_string($value) => self::utf8($value),
            $value instanceof \UnitEnum => self::utf8($value::class . '::' . $value->name),
            \is_float($value) && !is_finite($value) => (string) $value,
            !\is_array($value) && !\is_object($value) => $value,
            $depth > self::DEPTH => '…',
            default => self::members($value, $depth),
        };
    }

    public static function type(mixed $value): string
    {
        return self::plain(match (true) {
            \is_string($value) => \sprintf('string, %s bytes', number_format(\strlen($value))),
            \is_array($value) => \sprintf('array of %s', number_format(\count($value))),
            \is_object($value) => self::className($value),
            default => get_debug_type($value),
        });
    }

    /**
     * @param array<array-key, mixed>|object $value
     * @return array<array-key, mixed>
     */
    private static function members(array|object $value, int $depth): array
    {
        $members = \is_object($value) ? ['class' => self::utf8(self::className($value))] : [];
        foreach ((array) $value as $name => $member) {
            if ($name !== self::INCOMPLETE) {
                $members[self::utf8(self::member($name))] = self::data($member, $depth + 1);
            }
        }

        return $members;
    }

    /** @param list<int> $within */
    private static function object(object $value, string $indent, array $within): string
    {
        if (\in_array(spl_object_id($value), $within, true)) {
            return self::plain(self::className($value)) . ' (see above)';
        }
        $members = (array) $value;
        unset($members[self::INCOMPLETE]);

        $begin = self::plain(self::className($value)) . ' {';

        return self::elements($members, $begin, '}', $indent, [...$within, spl_object_id($value)]);
    }

    /**
     * @param array<array-key, mixed> $elements
     * @param list<int> $within
     */
    private static function elements(array $elements, string $begin, string $end, string $indent, array $within): string
    {
        if ($elements === []) {
            return $begin . $end;
        }
        if (\strlen($indent) >= 2 * self::DEPTH) {
            return $begin . '…' . $end;
        }
        $isList = array_is_list($elements) && $end === ']';
        $lines = [];
        foreach (\array_slice($elements, 0, self::ELEMENTS, true) as $name => $element) {
            $label = match (true) {
                $isList => '',
                $end === '}' => self::plain(self::member($name)) . ': ',
                default => (\is_int($name) ? $name : '"' . self::plain($name) . '"') . ' => ',
            };
            $lines[] = "$indent  $label" . self::value($element, "$indent  ", $within) . "\n";
        }
        if (\count($elements) > self::ELEMENTS) {
            $lines[] = \sprintf("%s  and %s more\n", $indent, number_format(\count($elements) - self::ELEMENTS));
        }

        return "$begin\n" . implode('', $lines) . $indent . $end;
    }

    /** Without the class or the star before the name of a private or protected property. */
    private static function member(string|int $name): string
    {
        return (string) preg_replace('/^\0[^\0]+\0/', '', (string) $name);
    }

    private static function className(object $value): string
    {
        $name = $value instanceof \__PHP_Incomplete_Class ? ((array) $value)[self::INCOMPLETE] ?? null : null;

        return \is_string($name) ? $name : $value::class;
    }
}
