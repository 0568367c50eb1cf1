<?php

declare(strict_types=1);

namespace Larder\Legacy;

/** Settings of the older extensions, which PHP still reads from php.ini though nobody registers them. ini_set() has none. */
final class Setting
{
    /** @var array<string, string> php.ini is read once a process */
    private static array $texts = [];

    public static function text(string $name, string $default = ''): string
    {
        return self::$texts[$name] ??= self::read($name, $default);
    }

    public static function number(string $name, int $default = 0): int
    {
        return (int) self::text($name, (string) $default);
    }

    public static function isOn(string $name, bool $default): bool
    {
        return filter_var(self::text($name, $default ? '1' : '0'), \FILTER_VALIDATE_BOOL);
    }

    private static function read(string $name, string $default): string
    {
        $value = get_cfg_var($name);

        return \is_string($value) ? $value : $default;
    }
}
