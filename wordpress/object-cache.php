<?php

/*
 * Object cache of Larder. The plugin copies this file to wp-content, where WordPress loads it before all plugins.
 *
 * Without the plugin's files, or in a process that cannot reach the cache of this site (the shell of another user, a
 * PHP without the extension, an update of the plugin, a Redis that is down), it defines nothing: WordPress then uses
 * the cache of its own. But such a process may write, and the cache would keep old values. So before its first write,
 * every ten seconds from then on and at its end, it puts another epoch into the database, which all processes reach:
 * those with the cache notice that within five seconds, and forget everything. See src/ObjectCache/Epoch.php. In a
 * transaction it does so right before COMMIT only: others see it together with what was written, and need not wait.
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

(static function (): void {
    $plugins = defined('WP_PLUGIN_DIR') ? constant('WP_PLUGIN_DIR') : __DIR__ . '/plugins';
    $load = (is_string($plugins) ? $plugins : '') . '/larder/src/ObjectCache/load.php';
    define('LARDER_OBJECT_CACHE', true);
    // Once the functions are there, WordPress has begun without this file, and the plugin includes its own copy.
    if (!function_exists('wp_cache_get') && is_file($load) && (include $load) === true) {
        return;
    }

    $last = 0.0;
    $write = static function () use (&$last): void {
        /** @var wpdb $wpdb */
        global $wpdb;
        $last = microtime(true);
        $epoch = sprintf('%.6F', $last);
        // Only if the row is there: else no cache is in use, and the first one begins with an epoch.
        $sql = "UPDATE {$wpdb->base_prefix}options SET option_value ="
            . " CONCAT('$epoch', SUBSTRING(option_value, LOCATE(' ', option_value)))"
            . " WHERE option_name = 'larder_epoch'";
        // The connection itself, as this runs in the middle of a query of wpdb, which keeps its state in properties.
        $connection = $wpdb::class === 'wpdb' ? $wpdb->__get('dbh') : null;
        if ($connection instanceof mysqli) {
            mysqli_query($connection, $sql);
        } else {
            $shown = $wpdb->suppress_errors();
            $wpdb->query($sql);
            $wpdb->suppress_errors($shown);
        }
    };
    $isIn = $isManual = false; // in a transaction; without autocommit, so that another one follows
    add_filter('query', static function ($query) use (&$last, &$isIn, &$isManual, $write) {
        if (!is_string($query)) {
            return $query;
        }
        $reads = '/^[\s(]*(SELECT|SHOW|SET|DESC|EXPLAIN|USE)\b/i';
        $setting = '/^\s*SET\s+(?:SESSION\s+|LOCAL\s+|@@(?:SESSION\.|LOCAL\.)?)?autocommit\s*:?='
            . '\s*(?:(0|OFF|FALSE)\b)?/i';
        $isSetting = preg_match($setting, $query, $off) === 1;
        $isCommit = preg_match('/^\s*COMMIT\b/i', $query) === 1 || ($isSetting && !isset($off[1]));
        if ($isIn ? $isCommit : microtime(true) - $last > 10.0 && preg_match($reads, $query) === 0) {
            if ($last === 0.0) {
                register_shutdown_function($write);
            }
            $last = microtime(true);
            $isIn = false; // before the query of another wpdb comes here
            $write();
        }
        if ($isSetting) {
            $isIn = $isManual = isset($off[1]);
        } elseif (preg_match('/^\s*(START\s+TRANSACTION|BEGIN)\b/i', $query) === 1) {
            $isIn = true;
        } elseif ($isCommit || preg_match('/^\s*ROLLBACK\b(?!.*\sTO\s)/is', $query) === 1) {
            $isIn = $isManual;
        }

        return $query;
    }, PHP_INT_MAX);
    // Who empties the cache in such a process means that of the others.
    add_action('larder_flush', $write);
    $hook = ['WP_CLI', 'add_hook'];
    if (is_callable($hook)) {
        $hook('after_invoke:cache flush', $write);
    }
})();
