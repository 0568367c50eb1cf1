<?php

declare(strict_types=1);

namespace Larder\Internal\Process;

/** Hides warnings of calls. The operator @ hides them from the log, but not from the error handlers of frameworks. */
final class Warnings
{
    /** No-op to install around a very frequent call; see Directory::read(). */
    public static function ignore(): true
    {
        return true;
    }

    /**
     * @template T
     * @param \Closure(): T $work not in traces, as it may have a password
     * @return T
     */
    public static function suppress(#[\SensitiveParameter] \Closure $work): mixed
    {
        try {
            set_error_handler(self::ignore(...)); // in the try block: a handler of signals may throw from here on

            return $work();
        } finally {
            restore_error_handler();
        }
    }

    /**
     * @template T
     * @param \Closure(): T $work as for suppress()
     * @param list<string> $warnings receives their messages
     * @return T
     */
    public static function collect(#[\SensitiveParameter] \Closure $work, array &$warnings): mixed
    {
        try {
            set_error_handler(static function (int $level, string $message) use (&$warnings): true {
                $warnings[] = $message;

                return true;
            });

            return $work();
        } finally {
            restore_error_handler();
        }
    }
}
