<?php

declare(strict_types=1);

namespace Larder;

use Larder\Driver\Scheme;
use Larder\Process\User;

/**
 * Whose cache a store of this machine is: clearing it clears that one alone. And what auto: takes in the other kind of PHP,
 * the web server's or the command line's, as far as this process can know.
 */
final class SharingScope
{
    /** @return string such as "user www-data, segment default, PHP 8.2"; empty where all processes reach the same */
    public static function cache(Scheme $scheme): string
    {
        $php = \sprintf('PHP %d.%d', \PHP_MAJOR_VERSION, \PHP_MINOR_VERSION);

        return match ($scheme) {
            Scheme::Larder => \sprintf('user %s, segment %s in %s, %s', User::name(), ini_get('larder.segment'), ini_get('larder.path'), $php),
            Scheme::Apcu, Scheme::Yac => \sprintf('user %s, %s, %s', User::name(), $php, self::isCommandLine() ? 'this process alone' : 'the workers of this FPM master'),
            Scheme::Shmop, Scheme::File, Scheme::PhpFile, Scheme::Sqlite => 'user ' . User::name(),
            default => '',
        };
    }

    /** @return string what auto: takes where this process is not, when that is known to be another cache; else empty */
    public static function differs(Scheme $chosen): string
    {
        $hasApcu = \extension_loaded('apcu') && \in_array(strtolower((string) ini_get('apc.enabled')), ['1', 'on', 'yes', 'true'], true);

        return match (true) {
            !$hasApcu => '',
            self::isCommandLine() => match ($chosen) {
                Scheme::File => 'a web server\'s PHP with these extensions takes apcu, which is off on the command line only',
                Scheme::Apcu => 'the web server\'s PHP has another apcu, of its own workers',
                default => '',
            },
            default => $chosen === Scheme::Apcu ? 'the command line has no part in this apcu' : '',
        };
    }

    public static function isCommandLine(): bool
    {
        return \in_array(\PHP_SAPI, ['cli', 'phpdbg', 'embed'], true);
    }
}
