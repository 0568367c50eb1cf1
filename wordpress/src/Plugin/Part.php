<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

/** A cache of the plugin, named as on the command line. */
enum Part: string
{
    case ObjectCache = 'object';
    case PageCache = 'page';

    /** Name of its drop-in, in the folder of the plugin and in wp-content. */
    public function file(): string
    {
        return match ($this) {
            self::ObjectCache => 'object-cache.php',
            self::PageCache => 'advanced-cache.php',
        };
    }

    public function title(): string
    {
        return match ($this) {
            self::ObjectCache => __('Object cache', 'larder'),
            self::PageCache => __('Page cache', 'larder'),
        };
    }
}
