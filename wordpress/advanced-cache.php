<?php

/**
 * Larder's page cache. The plugin copies this file to wp-content, where WordPress runs it early if WP_CACHE is true.
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

(static function (): void {
    // WordPress has not defined WP_PLUGIN_DIR yet, unless wp-config.php does. Nor the other, if wp-config.php includes
    // the plugin's own copy of this file, as readme.txt says.
    $content = defined('WP_CONTENT_DIR') ? WP_CONTENT_DIR : ABSPATH . 'wp-content';
    $plugins = defined('WP_PLUGIN_DIR') ? constant('WP_PLUGIN_DIR') : "$content/plugins";
    $class = (is_string($plugins) ? $plugins : '') . '/larder/src/PageCache/PageCache.php';
    $isThere = static fn(): bool => class_exists(Larder\WordPress\PageCache\PageCache::class, false);
    $isThere() || @include $class; // without the plugin, this file does nothing; is_file() would cost each hit 2 us
    if ($isThere()) {
        Larder\WordPress\PageCache\PageCache::serve();
    }
})();
