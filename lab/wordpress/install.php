<?php

declare(strict_types=1);

// php install.php WP-LOAD POSTS: installs a blog with posts, comments and options. WordPress sends no mail.

define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'localhost';

function wp_new_blog_notification(): void {}

require $argv[1];
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Shelf', 'admin', 'admin@example.org', true, '', bin2hex(random_bytes(12)));
update_option('posts_per_page', 30);
for ($post = 1; $post <= (int) $argv[2]; $post++) {
    $id = wp_insert_post([
        'post_title' => "Jar $post",
        'post_content' => str_repeat("<p>What is in jar $post, and how long it keeps there.</p>\n", 10),
        'post_status' => 'publish',
        'tags_input' => ['jam', "jar $post"],
        'post_category' => [1],
    ]);
    add_post_meta($id, 'weight', $post);
}
echo "installed\n";
