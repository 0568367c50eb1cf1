<?php

declare(strict_types=1);

// Calls a function of the site in var/wordpress from the shell, as WP-CLI would: [function, arguments] as JSON by the
// input. The environment has the database, as lab/software/wordpress reads it.

define('WP_CLI', true);
$_SERVER['HTTP_HOST'] = (string) parse_url((string) getenv('SITE_URL'), PHP_URL_HOST);
$site = (string) getenv('SITE_ROOT');
require "$site/wp-load.php";
require "$site/wp-admin/includes/admin.php";
[$function, $arguments] = json_decode((string) stream_get_contents(STDIN), true);
echo json_encode($function(...$arguments));
