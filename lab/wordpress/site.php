<?php

declare(strict_types=1);

// php site.php WP-LOAD PATH rename TITLE | row TITLE | flush | flush-all | title | archive SITE 0-OR-1 | profile |
// option
// What a shell does to a site of a network. row: writes the row so that nobody can notice.

use Larder\WordPress\Plugin\Caches;

$_SERVER['HTTP_HOST'] = 'localhost';
$_SERVER['REQUEST_METHOD'] = 'GET';
[, $load, $_SERVER['REQUEST_URI'], $what] = $argv;
require $load;
require_once WP_PLUGIN_DIR . '/larder/autoload.php';
global $wpdb;
$post = get_posts(['numberposts' => 1, 's' => 'Jar'])[0];
match ($what) {
    'rename' => wp_update_post(['ID' => $post->ID, 'post_title' => $argv[4]]),
    'row' => mysqli_query(
        $wpdb->__get('dbh'),
        "UPDATE $wpdb->posts SET post_title = '$argv[4]' WHERE ID = $post->ID",
    ) || exit(1),
    'flush' => Caches::clear(false),
    'flush-all' => Caches::clear(true),
    'title' => null,
    'archive' => update_blog_status((int) $argv[4], 'archived', $argv[5]),
    'profile' => wp_update_user(['ID' => 1, 'display_name' => uniqid()]),
    'option' => update_site_option('site_name', uniqid()),
};
echo get_post($post->ID)->post_title;
