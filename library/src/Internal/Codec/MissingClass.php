<?php

declare(strict_types=1);

namespace Larder\Internal\Codec;

use Larder\Codec\Failure;

/**
 * Throws Unreadable for a stored object whose class no longer exists, where PHP would create an incomplete object.
 *
 * It is the last autoloader, so it costs nothing while every class is found. It acts only if Larder itself reads: not
 * for what the application unserializes, nor if a __wakeup() calls class_exists(). The setting
 * unserialize_callback_func would do the same if ini_set() is allowed, but is slower. The engine notices missing
 * classes itself.
 *
 * @internal
 */
final class MissingClass
{
    /** Functions that unserialize stored bytes, and the prefix of the classes that call them for Larder. */
    private const READERS = ['unserialize', 'igbinary_unserialize', 'apcu_fetch'];
    private const CALLERS = 'Larder\\Internal\\';
    /** Stack frames: an autoloader that wraps others, for debugging, may call this one. */
    private const DEPTH = 12;

    /** Call this before anything is read. PHP registers an autoloader only once. */
    public static function watch(): void
    {
        spl_autoload_register([self::class, 'refuse']);
    }

    /**
     * The autoloader.
     *
     * @throws Unreadable
     */
    public static function refuse(string $class): void
    {
        if (self::isNeededByReader() && !self::isLoadedByLaterOnes($class)) {
            throw new Unreadable(Failure::ClassMissing);
        }
    }

    private static function isNeededByReader(): bool
    {
        try {
            $frames = debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, self::DEPTH);
        } catch (\Error $error) {
            $frames = $error->getTrace(); // the host disables the function; this has the same frames
        }
        foreach ($frames as $i => $frame) {
            // PHP itself called this one, on behalf of the next.
            if (!isset($frame['file'])) {
                $reader = $frames[$i + 1] ?? null;

                return $reader !== null && !isset($reader['class'])
                    && \in_array($reader['function'], self::READERS, true)
                    && str_starts_with($frames[$i + 2]['class'] ?? '', self::CALLERS);
            }
        }

        return false;
    }

    private static function isLoadedByLaterOnes(string $class): bool
    {
        $loaders = spl_autoload_functions();
        $own = array_search([self::class, 'refuse'], $loaders, true);
        foreach ($own === false ? [] : \array_slice($loaders, $own + 1) as $loader) {
            $loader($class);
            if (class_exists($class, false)) {
                return true;
            }
        }

        return false;
    }
}
