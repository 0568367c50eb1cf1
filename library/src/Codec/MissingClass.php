<?php

declare(strict_types=1);

namespace Larder\Codec;

/**
 * Makes a stored object whose class does not exist any more an Unreadable, where PHP would make an incomplete object.
 *
 * It is an autoloader that comes after all others, so it costs nothing while every class is found. It only answers when
 * Larder's own reading (ReadsObjects) looks for the class: what the application unserializes, and what a __wakeup() asks class_exists(),
 * is left alone. The setting unserialize_callback_func would do the same where ini_set() is allowed, but takes longer. The
 * engine notices missing classes itself.
 *
 * @internal
 */
final class MissingClass
{
    /** The functions that make objects of stored bytes. */
    private const READERS = ['unserialize', 'igbinary_unserialize', 'apcu_fetch'];
    /** Stack frames. Between this function and the reader there may be an autoloader that wraps others, for debugging. */
    private const DEPTH = 12;

    /** To be called before anything is read; PHP registers an autoloader once, however often it is told. */
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
        $frames = debug_backtrace(\DEBUG_BACKTRACE_IGNORE_ARGS, self::DEPTH);
        foreach ($frames as $i => $frame) {
            // PHP itself called this one, on behalf of the next.
            if (!isset($frame['file'])) {
                $reader = $frames[$i + 1] ?? null;

                return $reader !== null && !isset($reader['class']) && \in_array($reader['function'], self::READERS, true)
                    && is_a($frames[$i + 2]['class'] ?? '', ReadsObjects::class, true);
            }
        }

        return false;
    }

    /** Autoloaders that were registered after this one, and would be asked after it. */
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
