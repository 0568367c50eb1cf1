<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Symfony\Component\Console\Exception\InvalidOptionException;

/** An option whose value is a list of known names, separated by commas. */
final class ListOption
{
    /**
     * @template T of string
     * @param non-empty-list<T> $known
     * @param string|null $given null: all that is known
     * @return non-empty-list<T> those chosen, in the order known; capitals and spaces in names do not matter
     * @throws InvalidOptionException naming those that are unknown, and all that are known
     */
    public static function of(array $known, ?string $given, string $option): array
    {
        if ($given === null) {
            return $known;
        }
        $plain = static fn(string $name): string => strtolower(str_replace(' ', '', $name));
        $asked = array_filter(
            array_map(trim(...), explode(',', $given)),
            static fn(string $name): bool => $name !== '',
        );
        $asked = array_map($plain, $asked);
        $chosen = array_values(array_filter(
            $known,
            static fn(string $name): bool => \in_array($plain($name), $asked, true),
        ));
        $unknown = array_diff($asked, array_map($plain, $known));
        if ($unknown !== [] || $chosen === []) {
            throw new InvalidOptionException(\sprintf(
                '--%s: %s. Known: %s.',
                $option,
                $unknown === []
                    ? 'nothing is named'
                    : implode(', ', $unknown) . (\count($unknown) === 1 ? ' is not known' : ' are not known'),
                implode(', ', $known),
            ));
        }

        return $chosen;
    }
}
