<?php

/**
 * Larder's page cache. The plugin copies this file to wp-content, where WordPress runs it early if WP_CACHE is true.
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

(static function (): void {
    // WordPress has not defined WP_PLUGIN_DIR yet, unless wp-config.php does.
    $plugins = defined('WP_PLUGIN_DIR') ? constant('WP_PLUGIN_DIR') : WP_CONTENT_DIR . '/plugins';
    $class = (is_string($plugins) ? $plugins : '') . '/larder/src/PageCache/PageCache.php';
    @include $class; // without the plugin, this file does nothing; is_file() would cost each hit 2 us
    if (class_exists(Larder\WordPress\PageCache\PageCache::class, false)) {
        Larder\WordPress\PageCache\PageCache::serve();
    }
})();
