<?php

declare(strict_types=1);

namespace Larder\Cli\Inspect;

use Larder\Internal\Driver\Apcu\Apcu;

/** Says why this process has no cache. */
final class Engine
{
    /** @return string "" if this process has a cache that can be inspected */
    public static function whyNotShown(): string
    {
        $segment = (string) ini_get('larder.segment');

        return str_ends_with($segment, Apcu::SEGMENT) ? "$segment " . Apcu::IS_HERE : self::whyNot();
    }

    /** @return string "" if this process has a cache */
    public static function whyNot(): string
    {
        if (!\extension_loaded('larder')) {
            return 'The extension larder is not loaded: larder doctor says how to get it';
        }
        $info = larder_info(false);

        return match (true) {
            $info['available'] === true => '',
            \is_string($info['reason']) => $info['reason'],
            default => 'No cache is available',
        };
    }
}
