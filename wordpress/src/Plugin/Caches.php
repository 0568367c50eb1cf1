<?php

declare(strict_types=1);

namespace Larder\WordPress\Plugin;

use Larder\WordPress\ObjectCache\Epoch;
use Larder\WordPress\ObjectCache\ObjectCache;
use Larder\WordPress\PageCache\Purge;

/** What both caches know. */
final class Caches
{
    /** @param bool $network true: of all sites of a network; else of the present one */
    public static function clear(bool $network): void
    {
        $objects = $GLOBALS['wp_object_cache'] ?? null;
        !$network && $objects instanceof ObjectCache ? $objects->flush_site() : wp_cache_flush();
        do_action('larder_flush'); // the drop-in hears it where this process has no cache
        Purge::purgeAll($network);
    }

    /** The same before they are switched on: this process does not have their drop-ins. */
    public static function forget(): void
    {
        self::deleteEpoch();
        self::clear(true);
    }

    public static function uninstall(): void
    {
        self::deleteEpoch();
        $sites = is_multisite() ? get_sites(['fields' => 'ids', 'number' => 0]) : [];
        foreach ($sites as $site) {
            delete_blog_option($site, Purge::MARK);
        }
        delete_option(Purge::MARK);
    }

    /** The object cache has one in the options of the main site. Without it, it forgets everything. */
    private static function deleteEpoch(): void
    {
        if (is_multisite()) {
            delete_blog_option(get_main_site_id(), Epoch::OPTION);
        } else {
            delete_option(Epoch::OPTION);
        }
    }
}
