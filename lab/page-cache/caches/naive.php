<?php

declare(strict_types=1);

// The control: a page cache with the mistakes that the suite looks for.

$key = 'naive:' . $_SERVER['REQUEST_URI'];
$page = larder_fetch($key);
if (is_string($page)) {
    exit($page);
}
ob_start(static function (string $page) use ($key): string {
    larder_store($key, $page, 3600);

    return $page;
});
