<?php

declare(strict_types=1);

namespace Larder\Process;

/**
 * Calls whose warnings nobody is to see. The operator @ hides a warning from the log, but the error handlers of frameworks
 * are still called with it.
 */
final class Quietly
{
    /** What no-op to install around a call that is made very often; see Directory::read(). */
    public static function ignore(): true
    {
        return true;
    }

    /**
     * @template T
     * @param \Closure(): T $work
     * @return T
     */
    public static function run(\Closure $work): mixed
    {
        try {
            set_error_handler(self::ignore(...)); // within: a signal's handler may throw from here on

            return $work();
        } finally {
            restore_error_handler();
        }
    }

    /**
     * @template T
     * @param \Closure(): T $work
     * @param list<string> $warnings receives what they say
     * @return T
     */
    public static function collect(\Closure $work, array &$warnings): mixed
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
