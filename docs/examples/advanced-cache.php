<?php

declare(strict_types=1);

// WordPress drop-in: keeps whole pages for 60 seconds, for visitors without cookies or logins. Copy it to wp-content,
// and put define('WP_CACHE', true); into wp-config.php.

$logins = ['HTTP_AUTHORIZATION' => 0, 'PHP_AUTH_USER' => 0, 'REMOTE_USER' => 0];
$isForAll = $_COOKIE === [] && array_filter(array_intersect_key($_SERVER, $logins)) === [];
if ($isForAll && ($_SERVER['REQUEST_METHOD'] ?? '') === 'GET' && ($_SERVER['QUERY_STRING'] ?? '') === '') {
    $key = sprintf('page:%s:%s:%d:%s', DB_NAME, $_SERVER['HTTP_HOST'], is_ssl(), $_SERVER['REQUEST_URI']);
    $page = larder_fetch($key);
    if (is_string($page)) {
        exit($page);
    }
    ob_start(static function (string $page, int $phase) use ($key): string {
        $others = preg_grep('~^(?:Content-Type: text/html|Link: |X-)~i', headers_list(), PREG_GREP_INVERT);
        $isWhole = $phase === (PHP_OUTPUT_HANDLER_START | PHP_OUTPUT_HANDLER_FINAL);
        if ($isWhole && http_response_code() === 200 && $others === [] && !defined('DONOTCACHEPAGE')) {
            larder_store($key, $page, 60);
        }

        return $page;
    });
}
