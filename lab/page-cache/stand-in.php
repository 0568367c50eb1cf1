<?php

/**
 * Plugin Name: Stand-in shop of lab/page-cache
 *
 * Stands in for plugins that page caches meet: a shop that knows a visitor's cart by a cookie, members without a
 * password, broken pages, pages for one language. Only for test sites: whoever knows SUITE_KEY can call any function.
 */

declare(strict_types=1);

defined('ABSPATH') || exit;

(static function (): void {
    // behind nginx, REQUEST_URI is the visitor's; a page cache may take parameters away
    $slug = trim((string) parse_url($_SERVER['REQUEST_URI'] ?? '', PHP_URL_PATH), '/');
    $isBroken = static fn(): bool => get_option('suite_broken') === 'yes';
    // WordPress adds slashes to what it got
    $header = static fn(string $name): string => stripslashes((string) ($_SERVER['HTTP_' . strtr(strtoupper($name), '-', '_')] ?? ''));

    if ($header('X-Member') !== '') { // such as a login by a client's address
        add_action('init', static fn() => wp_set_current_user(1));
    }

    // Calls a function, for the suite.
    add_action('init', static function () use ($header): void {
        $key = (string) getenv('SUITE_KEY');
        if (!isset($_GET['suite']) || $key === '' || !hash_equals($key, $header('X-Suite-Key'))) {
            return;
        }
        require_once ABSPATH . 'wp-admin/includes/admin.php';
        wp_set_current_user(1);
        [$function, $arguments] = json_decode((string) file_get_contents('php://input'), true);
        header('Content-Type: application/json');
        exit(json_encode($function(...$arguments)));
    }, 99);

    add_action('wp_loaded', static function () use ($slug): void {
        if (str_starts_with($slug, 'shows-host')) {
            remove_action('template_redirect', 'redirect_canonical');
        }
    });

    add_action('template_redirect', static function () use ($slug, $isBroken, $header): void {
        match (true) {
            $slug === 'sets-cookie' => setcookie('shop_session', bin2hex(random_bytes(8)), path: '/'),
            $slug === 'starts-session' => session_start(),
            $slug === 'says-private' => header('Cache-Control: private'),
            $slug === 'says-no-store' => header('Cache-Control: no-store'),
            $slug === 'says-nocache' => nocache_headers(),
            $slug === 'says-max-age' => header('Cache-Control: max-age=0, must-revalidate'),
            $slug === 'says-donotcachepage' => define('DONOTCACHEPAGE', true),
            $slug === 'fails-500' && $isBroken() => status_header(500),
            $slug === 'maintains-503' && $isBroken() => wp_die('Back soon', 'Maintenance', ['response' => 503]),
            $slug === 'refuses-200' && $isBroken() => wp_die('Not now', 'Refused', ['response' => 200]),
            $slug === 'says-expires' => header('Expires: Thu, 01 Jan 1970 00:00:00 GMT'),
            $slug === 'slow-and-old', $slug === 'fails-when-old' => header('Cache-Control: max-age=1'),
            $slug === 'varies' => header('Vary: Accept-Language'),
            $slug === 'has-headers' => [
                header('X-Suite: kept'), header('Link: <https://one.example/>; rel=one', false),
                header('Link: <https://two.example/>; rel=two', false),
            ],
            default => null,
        };
        if ($slug === 'redirects-by-host' && str_starts_with($header('Host'), 'old.')) {
            header('Location: http://new.example/', true, 301);
            exit;
        }
        if ($slug === 'redirects-by-proto' && $header('X-Forwarded-Proto') === 'http') {
            header('Location: https://' . $header('Host') . "/$slug/", true, 301);
            exit;
        }
        if ($slug === 'redirects-by-visitor' && str_contains($header('CF-Visitor'), '"http"')) {
            header('Location: https://' . $header('Host') . "/$slug/", true, 301);
            exit;
        }
        if ($slug === 'answers-scripts') { // such as a theme that loads parts, or a post for other networks
            match (true) {
                wp_is_json_request() => exit('{"kind": "data"}'), // by Accept or Content-Type
                $header('X-Requested-With') === 'XMLHttpRequest' => exit('a part of the page'),
                $header('Origin') !== '' => header('Access-Control-Allow-Origin: ' . $header('Origin')),
                default => null,
            };
        }
        if ($slug === 'sends-a-file') {
            ini_set('memory_limit', '64M');
            header('Content-Type: application/octet-stream');
            for ($megabyte = 0; $megabyte < 100; ++$megabyte) {
                echo str_repeat('x', 1 << 20);
            }
            exit;
        }
        if ($slug === 'sends-ranges' && $header('Range') !== '') {
            status_header(206);
            header('Content-Range: bytes 0-3/100');
            exit('part');
        }
    }, 0);

    add_filter('the_content', static function (string $text) use ($slug, $isBroken, $header): string {
        if (is_singular() && str_starts_with($slug, 'shows-')) {
            $name = explode('_', substr($slug, 6))[0];
            $text .= "<p>shown: $name is [" . esc_html($header($name)) . ']</p>';
        }
        if (str_starts_with($slug, 'shows-cookie')) {
            $text .= esc_html((string) json_encode($_COOKIE));
        }
        if (str_starts_with($slug, 'shows-query')) {
            $text .= esc_html($_SERVER['REQUEST_URI'] . ' ' . json_encode($_GET + $_REQUEST));
        }
        if ($slug === 'asks-php') { // what plugins put into hidden fields of forms
            $text .= esc_html((string) filter_input(INPUT_GET, 'utm_source'));
        }
        if ($slug === 'asks-country') {
            $text .= esc_html(($_SERVER['GEOIP_COUNTRY_CODE'] ?? '') . ($_SERVER['MM_COUNTRY_CODE'] ?? ''));
        }
        if ($slug === 'varies') {
            $text .= str_starts_with($header('Accept-Language'), 'de') ? 'Guten Tag' : 'Good day';
        }
        if ($slug === 'asks-device') {
            $text .= wp_is_mobile() ? 'small screen' : 'large screen';
        }
        if ($slug === 'dies-in-the-middle' && $isBroken()) {
            exit('the first half');
        }
        if (($slug === 'fatal-in-the-middle' && $isBroken()) || ($slug === 'fails-when-old' && get_transient('suite_fails'))) {
            undefined_function_of_the_suite();
        }
        if (str_starts_with($slug, 'slow')) {
            sleep(2); // after WordPress has read the post
        }
        if ($slug === 'killed' && $isBroken()) {
            usleep(500_000);
            posix_kill(posix_getpid(), 9);
        }

        return $text;
    });

    add_action('wp_footer', static function (): void {
        // a shop's cart; its cookies exist in no other program
        $cart = $_COOKIE['standin_cart'] ?? '';
        printf('<p>cart: [%s], user: [%s], ', esc_html($cart), esc_html(wp_get_current_user()->user_login));
        printf('author: [%s], render=%s</p>', esc_html(wp_get_current_commenter()['comment_author']), bin2hex(random_bytes(8)));
    });
    foreach (['rss2_head', 'commentsrss2_head'] as $hook) {
        add_action($hook, static fn() => printf('<!-- render=%s -->', bin2hex(random_bytes(8))));
    }
    add_filter('suite_later', static function (mixed $nothing, array $post): mixed {
        usleep(800_000);

        return wp_update_post($post);
    }, 10, 2);
    // such as a plugin for statistics, whose script any visitor runs
    add_action('wp_ajax_nopriv_suite_counts', static function (): never {
        exit(update_post_meta((int) $_POST['post'], 'post_views_count', time()) === false ? '' : 'counted');
    });
    add_action('suite_publishes', 'wp_publish_post'); // for cron
})();
