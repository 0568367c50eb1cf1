<?php

declare(strict_types=1);

namespace Larder\Dsn;

use Larder\Codec\CodecOptions;
use Larder\Driver\Scheme;
use Larder\Exception\InvalidDsn;

/**
 * What is wrong with an address, by the part that was not understood. Nothing of the address is repeated: where it was
 * written wrongly, any part of it may be a piece of a password.
 */
final class DsnError
{
    public const ENCODING = 'Inside a user name, a password or a path write %2F for /, %3F for ?, %40 for @, %3A for : and %25 for %';

    /** Letters by which a name may differ from an option that is proposed for it. */
    private const TYPOS = 2;

    public static function noScheme(): InvalidDsn
    {
        return new InvalidDsn('The scheme of the address is missing: it begins with one of ' . Scheme::list());
    }

    public static function unknownScheme(): InvalidDsn
    {
        return new InvalidDsn('The scheme of the address is not known: it begins with one of ' . Scheme::list());
    }

    public static function zeroByte(): InvalidDsn
    {
        return new InvalidDsn('The address has a zero byte, which no part of it can have');
    }

    public static function inHost(Scheme $scheme): InvalidDsn
    {
        return new InvalidDsn(\sprintf('This %s: address has something in the place of a host and a port, as in 127.0.0.1:11211 or [::1]:6379, that is neither. %s', $scheme->value, self::ENCODING));
    }

    public static function inPath(Scheme $scheme): InvalidDsn
    {
        return new InvalidDsn(\sprintf('This %s: address has a character in its path that does not belong there. %s', $scheme->value, self::ENCODING));
    }

    public static function inTier(): InvalidDsn
    {
        return new InvalidDsn('This tier: address does not name two others in parentheses, the local tier and the shared one, and its own options after them, as in tier:(larder:)(redis://127.0.0.1:6379)?poll=1. Inside a name or a password write %28 for ( and %29 for )');
    }

    /** An option of other stores is named, since it is no secret; a misspelt one only by what it may be meant for. */
    public static function unknownOption(Scheme $scheme, #[\SensitiveParameter] string $option): InvalidDsn
    {
        $known = $scheme->options();
        $all = array_merge(...array_map(static fn(Scheme $other): array => $other->options(), Scheme::cases()));
        $near = array_filter($known, static fn(string $name): bool => levenshtein($name, $option) <= self::TYPOS);

        return new InvalidDsn(\sprintf(
            'This %s: address has %s Known: %s%s',
            $scheme->value,
            \in_array($option, $all, true) ? \sprintf('the option %s, which it does not take.', $option) : 'an unknown option.' . ($near === [] ? '' : ' Is ' . reset($near) . ' meant?'),
            $known === [] ? 'none' : implode(', ', $known),
            CodecOptions::whyNot($option, $scheme) . ($scheme->isRemote() && $near === [] && !\in_array($option, $all, true) ? '. ' . self::ENCODING : ''),
        ));
    }
}
