<?php

declare(strict_types=1);

namespace Larder\Cli\Command;

use Symfony\Component\Console\Exception\InvalidOptionException;

/** An option whose value is a positive integer. */
final class Number
{
    private const LARGEST = 9999;

    /**
     * @param mixed $given null: without the option
     * @return positive-int
     * @throws InvalidOptionException
     */
    public static function of(mixed $given, int $without, string $option): int
    {
        $text = $given ?? (string) $without;
        if (!\is_string($text) || preg_match('/^[1-9]\d{0,3}$/D', $text) !== 1) {
            throw new InvalidOptionException(\sprintf(
                '--%s: %s is not a number from 1 to %d.',
                $option,
                \is_string($text) ? $text : '',
                self::LARGEST,
            ));
        }

        return max(1, (int) $text);
    }
}
