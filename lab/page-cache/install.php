<?php

declare(strict_types=1);

// Installs the site of lab/page-cache/prove.php: a blog of 30 posts at SITE_URL.

define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = substr((string) getenv('SITE_URL'), 7);
$_SERVER['REQUEST_URI'] = '/';

/** Replaces WordPress's own function, which would send a mail. */
function wp_new_blog_notification(): void {}

$site = (string) getenv('SITE_ROOT');
require "$site/wp-load.php";
require "$site/wp-admin/includes/upgrade.php";
wp_install('Shelf', 'admin', 'admin@example.org', true, '', bin2hex(random_bytes(12)));
update_option('siteurl', (string) getenv('SITE_URL'));
update_option('home', (string) getenv('SITE_URL'));
update_option('permalink_structure', '/%postname%/');
update_option('posts_per_page', 30);
update_option('thread_comments', '0');
for ($post = 1; $post <= 30; $post++) {
    wp_insert_post([
        'post_title' => "Jar $post",
        'post_content' => str_repeat("<!-- wp:paragraph -->\n<p>What is in jar $post.</p>\n<!-- /wp:paragraph -->\n", 10),
        'post_status' => 'publish',
        'post_date' => "2020-01-$post 12:00:00",
        'tags_input' => ['jam', "jar $post"],
    ]);
}
delete_option('rewrite_rules'); // the next request makes them of the new structure
