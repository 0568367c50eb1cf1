<?php

declare(strict_types=1);

namespace Larder\Cli\Report;

/** The machine, versions and settings of a report, as lines and as names with values. */
final class Environment
{
    /**
     * @param array<string, mixed> $environment
     * @return array<string, string> by name: "servers.redis" => "7.0.15"
     */
    public static function flat(array $environment): array
    {
        $flat = [];
        foreach ($environment as $name => $value) {
            if (\is_array($value) || \is_object($value)) {
                $below = self::flat(self::named((array) $value));
                foreach ($below === [] ? ['' => 'none'] : $below as $inner => $text) {
                    $flat[$inner === '' ? $name : "$name.$inner"] = $text;
                }
            } else {
                $flat[$name] = \is_scalar($value)
                    ? (\is_bool($value) ? ($value ? 'on' : 'off') : (string) $value)
                    : 'none';
            }
        }

        return $flat;
    }

    /**
     * @param array<string, mixed> $environment
     * @return list<string>
     */
    public static function lines(array $environment): array
    {
        $flat = self::flat($environment);

        return array_map(static fn(string $name, string $value): string => "$name: $value", array_keys($flat), $flat);
    }

    /**
     * @param array<mixed> $values
     * @return array<string, mixed>
     */
    private static function named(array $values): array
    {
        return array_combine(array_map(strval(...), array_keys($values)), $values);
    }
}
