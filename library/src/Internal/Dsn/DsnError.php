<?php

declare(strict_types=1);

namespace Larder\Internal\Dsn;

use Larder\Dsn\Scheme;
use Larder\Dsn\Schemes;
use Larder\Exception\InvalidDsn;

/**
 * The error in a DSN, by the part that is wrong. Nothing of the DSN is repeated: in a malformed one, any part may be a
 * piece of a password.
 */
final class DsnError
{
    public const ENCODING = 'Inside a user name, a password, a path or an option write %2F for /, %3F for ?, '
        . '%40 for @, %3A for : and %25 for %';

    /** Number of letters by which a name may differ from an option that is suggested for it. */
    private const TYPOS = 2;

    public static function noScheme(Schemes $schemes): InvalidDsn
    {
        return new InvalidDsn(
            'The scheme of the DSN is missing: it begins with one of ' . self::list($schemes->schemes()),
        );
    }

    public static function unknownScheme(Schemes $schemes): InvalidDsn
    {
        return new InvalidDsn(
            'The scheme of the DSN is not known: it begins with one of ' . self::list($schemes->schemes()),
        );
    }

    public static function zeroByte(): InvalidDsn
    {
        return new InvalidDsn('The DSN has a zero byte, which no part of it can have');
    }

    public static function inHost(string $scheme): InvalidDsn
    {
        return new InvalidDsn(\sprintf(
            'This %s: DSN has something in the place of a host and a port, as in 127.0.0.1:11211 or [::1]:6379, '
                . 'that is neither. %s',
            $scheme,
            self::ENCODING,
        ));
    }

    public static function inPath(string $scheme): InvalidDsn
    {
        return new InvalidDsn(\sprintf(
            'This %s: DSN has a character in its path that does not belong there. %s',
            $scheme,
            self::ENCODING,
        ));
    }

    /** @param string $part such as "path" or "option socket" */
    public static function encoding(string $scheme, string $part): InvalidDsn
    {
        return new InvalidDsn(\sprintf(
            'This %s: DSN has a %% in its %s that two hexadecimal digits do not follow. %s',
            $scheme,
            $part,
            self::ENCODING,
        ));
    }

    /** @param string $how a further hint; may be empty */
    public static function repeatedOption(string $scheme, string $option, string $how = ''): InvalidDsn
    {
        return new InvalidDsn(\sprintf('This %s: DSN has the option %s twice%s', $scheme, $option, $how));
    }

    public static function inNesting(Scheme $scheme): InvalidDsn
    {
        return new InvalidDsn(\sprintf(
            'This %s: DSN does not name two others in parentheses, the local tier and the shared one, '
                . 'and its own options after them, as in %s. '
                . 'Inside a name or a password write %%28 for ( and %%29 for )',
            $scheme->name,
            $scheme->nesting,
        ));
    }

    /**
     * The name of another store's option is no secret, so it is repeated. For a misspelt option, only the suggestion is
     * named.
     */
    public static function unknownOption(
        Scheme $scheme,
        Schemes $schemes,
        #[\SensitiveParameter]
        string $option,
    ): InvalidDsn {
        $known = $scheme->options;
        $isOthers = array_filter(
            $schemes->schemes(),
            static fn(Scheme $other): bool => \in_array($option, $other->options, true),
        ) !== [];
        $near = array_filter($known, static fn(string $name): bool => levenshtein($name, $option) <= self::TYPOS);
        $why = match (true) {
            $isOthers && \in_array($option, Scheme::CODEC_OPTIONS, true) && $scheme->whyNoCodec !== '' => '. '
                . $scheme->whyNoCodec,
            \in_array($option, Scheme::TLS_OPTIONS, true)
                => '. Without TLS there is no use for it: the schemes with TLS are '
                . self::list(array_filter($schemes->schemes(), static fn(Scheme $other): bool => $other->isTls)),
            $scheme->isRemote && $near === [] && !$isOthers => '. ' . self::ENCODING,
            default => '',
        };

        return new InvalidDsn(\sprintf(
            'This %s: DSN has %s Known: %s%s',
            $scheme->name,
            $isOthers
                ? \sprintf('the option %s, which it does not take.', $option)
                : 'an unknown option.' . ($near === [] ? '' : ' Is ' . reset($near) . ' meant?'),
            $known === [] ? 'none' : implode(', ', $known),
            $why,
        ));
    }

    /** @param array<Scheme> $schemes */
    private static function list(array $schemes): string
    {
        return implode(', ', array_map(static fn(Scheme $scheme): string => $scheme->name . ':', $schemes));
    }
}
