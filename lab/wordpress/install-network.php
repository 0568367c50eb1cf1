<?php

declare(strict_types=1);

/*
 * php install-network.php WP-LOAD network    turns an installed blog into a network
 * php install-network.php WP-LOAD sites      adds /two/ and /three/, each with posts, a tag, options and a user who
 *                                            manages it, and activates the plugin for all; prints cookies of the
 *                                            network's administrator and of the one of /two/ as JSON
 */

$_SERVER['HTTP_HOST'] = 'localhost';
$_SERVER['REQUEST_METHOD'] = 'GET';
[, $load, $what] = $argv;
if ($what === 'network') {
    define('WP_INSTALLING_NETWORK', true);
}

require $load;
require_once ABSPATH . 'wp-admin/includes/plugin.php';
if ($what === 'network') {
    global $wpdb;
    require ABSPATH . 'wp-admin/includes/upgrade.php';
    require ABSPATH . 'wp-admin/includes/network.php';
    foreach ($wpdb->tables('ms_global') as $table => $name) {
        $wpdb->$table = $name;
    }
    install_network();
    $result = populate_network(1, 'localhost', 'admin@example.org', 'Shelves', '/', false);
    exit(is_wp_error($result) && $result->get_error_code() !== 'no_wildcard_dns' ? 1 : 0);
}
/** @return array<string, string> the cookies of a user */
function cookies_of(int $user): array
{
    $token = WP_Session_Tokens::get_instance($user)->create(time() + 3600);
    $cookies = [];
    foreach ([AUTH_COOKIE => 'auth', LOGGED_IN_COOKIE => 'logged_in'] as $name => $scheme) {
        $cookies[$name] = wp_generate_auth_cookie($user, time() + 3600, $scheme, $token);
    }

    return $cookies;
}

foreach (['two', 'three'] as $name) {
    $user = wp_create_user("manager-$name", 'secret', "$name@example.org");
    wpmu_create_blog('localhost', "/$name/", "Shelf $name", $user);
}
foreach (get_sites(['fields' => 'ids']) as $site) {
    switch_to_blog($site);
    update_option('posts_per_page', 30);
    for ($post = 1; $post <= 10; ++$post) {
        $title = "Jar $post of site $site";
        wp_insert_post(['post_title' => $title, 'post_content' => $title, 'post_status' => 'publish',
            'post_author' => 1, 'tags_input' => ["Tag $post of site $site"]]);
    }
    restore_current_blog();
}
$done = activate_plugin('larder/larder.php', '', true);
if (is_wp_error($done)) {
    fwrite(STDERR, $done->get_error_message());
    exit(1);
}
echo json_encode(['all' => cookies_of(1), 'two' => cookies_of((int) username_exists('manager-two'))]);
