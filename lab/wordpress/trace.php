<?php

declare(strict_types=1);

// php trace.php WP-LOAD FILE: writes the calls of the object cache that a front page makes. The plugin is a copy whose
// functions note their calls in $larder_trace.

$_SERVER = ['HTTP_HOST' => 'localhost', 'SERVER_NAME' => 'localhost', 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/',
    'SERVER_PROTOCOL' => 'HTTP/1.1', 'PHP_SELF' => '/index.php'] + $_SERVER;
$larder_trace = [];
ob_start();
define('WP_USE_THEMES', true);
require dirname($argv[1]) . '/wp-blog-header.php';
$page = ob_get_clean();
is_string($page) && str_contains($page, 'Jar 3') || exit("This is no front page.\n");
file_put_contents($argv[2], serialize($larder_trace));
echo json_encode(array_count_values(array_column($larder_trace, 0))), "\n";
