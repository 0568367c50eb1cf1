<?php

declare(strict_types=1);

// Installs a blog of ten posts in the WordPress of lab/software/wordpress. Its wp-config.php reads its settings from
// the environment.

define('WP_INSTALLING', true);
$_SERVER['HTTP_HOST'] = 'localhost';

/** Replaces WordPress's own function, which would send a mail. */
function wp_new_blog_notification(): void {}

$site = __DIR__ . '/../../var/wordpress/root/usr/share/wordpress';
require "$site/wp-load.php";
require "$site/wp-admin/includes/upgrade.php";
wp_install('Shelf', 'admin', 'admin@example.org', true, '', bin2hex(random_bytes(12)));
for ($post = 1; $post <= 10; $post++) {
    $text = "<p>What is in jar $post, and how long it keeps there.</p>";
    wp_insert_post([
        'post_title' => "Jar $post",
        'post_content' => str_repeat("<!-- wp:paragraph -->\n$text\n<!-- /wp:paragraph -->\n", 10),
        'post_status' => 'publish',
        'tags_input' => ['jam', "jar $post"],
    ]);
}
