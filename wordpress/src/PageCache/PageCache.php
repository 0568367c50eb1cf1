<?php

declare(strict_types=1);

namespace Larder\WordPress\PageCache;

\defined('ABSPATH') || exit;

/**
 * Whole pages for visitors of whom WordPress knows nothing, in the engine. A hit runs this file only, before WordPress
 * loads most of its own. Recording stores the pages, Purge makes them invalid.
 *
 * The key has
 * - the site's database and secret (prefix()), and the number FORMAT,
 * - http or https, as WordPress sees it, and as the headers of SCHEMES say, which plugins read,
 * - the port, which wp-config.php may have taken from a proxy's header,
 * - the host with its port, the path,
 * - the parameters of PARAMETERS, sorted.
 *
 * Not in the key, and hidden from WordPress while it renders a page to store: cookies, the visitor's country, and all
 * other request headers but those of Recording::KEPT. A request with parameters of IGNORED gets the page without them,
 * but stores none. refusal() has what bypasses the cache, Recording::refusal() has what is not stored.
 *
 * wp-config.php may define LARDER_PAGE, an array with any of: ttl (seconds), hosts (further ones of the site), cookies
 * and parameters (patterns of further ones that change no page: 'shop_ref*').
 *
 * @phpstan-type Page array{body: string, headers: list<string>, etag: string, modified: string, time: int,
 *         generation: int, keys: list<string>, versions: array<string, mixed>}
 */
final class PageCache
{
    /** Seconds for which a page is fresh. Then one process renders it again, and the others get the old one. */
    public const TTL = 600;

    /** Headers by which proxies say http or https. */
    public const SCHEMES = [
        'HTTP_X_FORWARDED_PROTO', 'HTTP_X_FORWARDED_SSL', 'HTTP_X_FORWARDED_SCHEME', 'HTTP_FRONT_END_HTTPS',
        'HTTP_CF_VISITOR', 'HTTP_CLOUDFRONT_FORWARDED_PROTO', 'HTTP_X_ARR_SSL', 'HTTP_X_PROTO', 'HTTP_X_SSL',
        'HTTP_FORWARDED',
    ];

    /** Parameters of WordPress's own URLs. A page has few of them (Recording::URLS), whatever their values. */
    private const PARAMETERS = '~^(?:attachment_id|author|cat|cpage|feed|m|name|p|page|page_id|paged|post_type|tag)$~D';

    /** Marks of campaigns and of clicks, which scripts in the browser read. */
    private const IGNORED = '~^(?:utm_\w+|[dgmtwy]clid|gclsrc|[gw]braid|gad_\w+|fbclid|msclkid|twclid|ttclid|li_fat_id'
        . '|igsh(?:id)?|epik|s_kwcid|ef_id|mc_[ce]id|mkt_tok|_hs(?:enc|mi)|hsa_\w+|ml_subscriber(?:_hash)?|vero_\w+'
        . '|(?:mtm|pk|piwik|matomo)_\w+|_ga|_gl|_branch_match_id|srsltid|rdt_cid|sc(?:cid|_cid)|oly_\w+)$~D';

    /** Cookies of statistics and advertisements, which scripts in the browser set and read. */
    private const HARMLESS = '~^(?:_ga(?:_\w+)?|_gid|_gat\w*|_gcl_\w+|_dc_gtm_\w+|__utm[a-z]+|__g(?:ads|pi)|_fb[pc]'
        . '|_pk_(?:id|ses|ref|cvar|hsr|testcookie)\w*|_hj\w+|_cl(?:ck|sk)|_uet[sv]id\w*|_pin_unauth|_scid\w*|_tt\w*'
        . '|_rdt_uuid|__hs(?:tc|sc|src)|hubspotutk|__cf_bm|cf_clearance|_ym_\w+|ajs_anonymous_id'
        . '|amp_[\da-f]{6}(?:_\w+)?|mp_\w+_mixpanel|_li_fat_id|_vwo_\w+|__qca|__gsas|_parsely_\w+|_chartbeat\d?|_cb(?:_\w+)?)$~D';

    /** X-ARR-SSL of Azure has the site's certificate. Forwarded often has the visitor's address, too, and bypasses. */
    private const SCHEME = '~^(?:(?:proto=)?https?|ssl|on|off|yes|no|[01]|\{"scheme":"https?"\}'
        . '|\d+\|\d+\|C[\w .,*=|-]{1,400})$~Di';

    /** What says who a visitor is. Sec-Fetch-User and others of Sec- say how the browser came to ask. */
    private const LOGIN = '~^(?:REDIRECT_)*(?:REMOTE_USER|AUTH_TYPE|(?:PHP_AUTH|OIDC|MELLON)_\w+|SSL_CLIENT_S_DN'
        . '|HTTP_(?!USER_AGENT$|SEC_)\w*(?:AUTH|USER|LOGIN|MEMBER|NONCE|TOKEN|SESSION|IDENTITY|JWT|OIDC|SAML|SSO'
        . '|API_?KEY|EMAIL|PRINCIPAL|CERT)\w*)$~D';

    /** What browsers and readers of feeds accept: HTML or XML. Another type beside it may be what a plugin sends. */
    private const ACCEPT = '~^(?:(?=.*(?:html|xml|\*/\*))(?:\s*(?:text/html|image/[\w.+*-]+|\*/\*'
        . '|[\w.-]+/(?:(?:[\w.-]+\+)?xml|unknown)|application/(?:signed-exchange|feed\+json|x-netcdf))'
        . '\s*(?:;[^,]*)?(?:,|$))+$)~Di';

    /** Headers of scripts that replace a part of the page. */
    private const PARTS = ['HTTP_HX_REQUEST' => 1, 'HTTP_TURBO_FRAME' => 1, 'HTTP_X_PJAX' => 1, 'HTTP_X_BARBA' => 1];

    /** Of what is stored. Another number, if it changes: so no version of the plugin reads what another has stored. */
    private const FORMAT = 1;

    /** Bytes of a URL; those of WordPress's own posts are shorter. */
    private const LONGEST = 1000;

    /**
     * Answers the request if its page is stored; else starts to record it if it may be stored. In wp-config.php, where
     * WordPress has not begun, it only answers.
     */
    public static function serve(): void
    {
        // index.php defines it, and the other entrances (logins, the administration, wp-cron.php) do not
        if (!\defined('WP_USE_THEMES') || WP_USE_THEMES !== true || !\function_exists('larder_fetch_fresh')) {
            return;
        }
        $isEarly = !\defined('WPINC'); // wp-settings.php defines it
        if ($isEarly && !self::isOn()) {
            return;
        }
        $url = self::url($_SERVER);
        $refusal = self::refusal($_SERVER, $_COOKIE, $_POST, $url);
        if ($url === null || $refusal !== null) {
            header("Cache-Status: Larder; fwd=bypass; detail=$refusal");

            return;
        }
        $key = self::key($_SERVER, $url);
        $page = larder_fetch_fresh($key, null, 0.0);
        if (\is_array($page) && self::isValid($page)) {
            /** @var Page $page */
            self::send($page);
        }
        if ($page === false) { // a response to this URL must not be stored
            header('Cache-Status: Larder; fwd=bypass; detail=response');
        } elseif (!\is_string($_SERVER['REQUEST_URI']) || \strlen($_SERVER['REQUEST_URI']) > \strlen($url)) {
            // filter_input() sees what is left out of the key, so it may be in the page
            header('Cache-Status: Larder; fwd=uri-miss; detail=mark');
        } elseif (!$isEarly && $_SERVER['REQUEST_METHOD'] === 'GET') {
            $files = [__DIR__ . '/Recording.php', __DIR__ . '/Purge.php', __DIR__ . '/Dependencies.php'];
            if (array_filter($files, is_file(...)) !== $files) {
                return; // half a folder, as during an update, is no folder
            }
            foreach ($files as $file) {
                require_once $file;
            }
            Recording::start($key, $url);
        }
    }

    /** True if WordPress would include our advanced-cache.php: not while it is updated, nor once this cache is off. */
    private static function isOn(): bool
    {
        $content = \defined('WP_CONTENT_DIR') ? WP_CONTENT_DIR : ABSPATH . 'wp-content';

        return \defined('WP_CACHE') && \constant('WP_CACHE') === true && \defined('DB_HOST') && \defined('DB_NAME')
            && !is_file(ABSPATH . '.maintenance')
            && str_contains((string) @file_get_contents("$content/advanced-cache.php", length: 100), 'Larder');
    }

    /**
     * Returns why a request neither gets a stored page nor has its page stored; null if it may.
     *
     * @param mixed[] $server
     * @param mixed[] $cookies
     * @param mixed[] $body
     * @param string|null $url of url()
     */
    public static function refusal(array $server, array $cookies, array $body, ?string $url): ?string
    {
        $host = $server['HTTP_HOST'] ?? '';

        return match (true) {
            !\in_array($server['REQUEST_METHOD'] ?? '', ['GET', 'HEAD'], true) => 'method',
            // by a body's type alone, WordPress takes a request for one of a script
            $body !== [], ($server['CONTENT_LENGTH'] ?? '') > 0, ($server['CONTENT_TYPE'] ?? '') !== '' => 'body',
            // Authorization, X-WP-Nonce, and what proxies of single sign-on send
            self::isLogin($server), ($server['SSL_CLIENT_VERIFY'] ?? '') === 'SUCCESS' => 'login',
            isset($server['HTTP_RANGE']) => 'range',
            // a login, a comment's author, a cart, an opened post; also all of which nothing is known
            $cookies !== [] && self::unknown(array_keys($cookies), self::HARMLESS, 'cookies') => 'cookie',
            // also a query with other parameters: searches, previews, filters, rest_route
            $url === null => 'url',
            !\is_string($host) || preg_match('~^[\w.:\[\]-]{1,255}$~D', $host) !== 1 => 'host',
            ($server['HTTP_X_FORWARDED_HOST'] ?? $host) !== $host, self::schemes($server) === null => 'forwarded',
            // They may get no page. In X-Requested-With, a name with a dot is an app that shows pages.
            ($server['HTTP_ORIGIN'] ?? '') !== '', self::matching($server, 'HTTP_ACCEPT', self::ACCEPT) === null,
            self::matching($server, 'HTTP_X_REQUESTED_WITH', '~^\w+\.[\w.]+$~D') === null,
            array_intersect_key($server, self::PARTS) !== [] => 'script',
            default => null,
        };
    }

    /**
     * By values: a rule of WordPress's own .htaccess sets HTTP_AUTHORIZATION in each request, mostly to nothing.
     *
     * @param mixed[] $server
     */
    private static function isLogin(array $server): bool
    {
        $names = preg_grep(self::LOGIN, array_keys($server));
        foreach (\is_array($names) ? $names : [] as $name) {
            if (\is_string($name) && !\in_array($server[$name], ['', null, false], true)) {
                return true;
            }
        }

        return false;
    }

    /**
     * The path and the parameters that matter, of a URL such as WordPress's own.
     *
     * @param mixed[] $server
     * @return string|null null if it has other parameters or bytes
     */
    public static function url(array $server): ?string
    {
        $uri = $server['REQUEST_URI'] ?? '';
        $given = $server['QUERY_STRING'] ?? '';
        if (!\is_string($uri) || \strlen($uri) > self::LONGEST) {
            return null;
        }
        [$path, $query] = explode('?', $uri, 2) + [1 => ''];
        // A web server that adds parameters to its own query has other pages than its URLs say.
        if ($query !== $given || preg_match('~^/(?!/)[\w./%+,:;=@!$&()*\~-]*$~D', $path) !== 1) {
            return null;
        }
        if ($query === '') {
            return $path;
        }
        $known = [];
        foreach (explode('&', $query) as $pair) {
            [$name, $value] = explode('=', $pair, 2) + [1 => ''];
            if (!self::unknown([$name], self::IGNORED, 'parameters')) {
                continue;
            }
            // WordPress drops "_" at the beginning of a feed's name, so there would be any number of names for one.
            if (isset($known[$name]) || preg_match(self::PARAMETERS, $name) !== 1
                || preg_match('~^(?!_)[\w-]{1,200}$~D', $value) !== 1) {
                return null;
            }
            $known[$name] = "$name=$value";
        }
        ksort($known);

        return $known === [] ? $path : $path . '?' . implode('&', $known);
    }

    /** @param mixed[] $server of a request without refusal() */
    public static function key(array $server, string $url): string
    {
        $of = static fn(string $name): string => \is_string($server[$name] ?? null) ? $server[$name] : '';
        // is_ssl() knows HTTPS and the port
        $scheme = ($of('HTTPS') === '' ? 'http' : "https={$of('HTTPS')}") . '(' . self::schemes($server) . ')';

        return self::prefix() . 'page' . self::FORMAT . ":$scheme{$of('SERVER_PORT')}://{$of('HTTP_HOST')}$url";
    }

    /**
     * What proxies say; null if one says something else.
     *
     * @param mixed[] $server
     */
    private static function schemes(array $server): ?string
    {
        $schemes = [];
        foreach (self::SCHEMES as $name) {
            $scheme = $server[$name] ?? '';
            if (!\is_string($scheme)
                || ($scheme !== '' && preg_match(self::SCHEME, $scheme) !== 1)) {
                return null;
            }
            $schemes[] = $scheme;
        }

        return rtrim(implode(',', $schemes), ',');
    }

    /**
     * Returns a header, "" if there is none or it is empty; null if it does not match.
     *
     * @param mixed[] $server
     */
    private static function matching(array $server, string $name, string $pattern): ?string
    {
        $value = $server[$name] ?? '';

        return $value === '' || (\is_string($value) && preg_match($pattern, $value) === 1) ? $value : null;
    }

    /** Begins all keys of this installation, wherever its files are. Sites that share an engine differ in it. */
    public static function prefix(): string
    {
        /** @var \wpdb|null $wpdb */
        global $wpdb;
        static $prefix = null;
        // wp-config.php may define more of it
        if (!\is_string($prefix) || !\defined('WPINC')) {
            // In a network, $table_prefix becomes that of the blog once WordPress knows which it is.
            $table = $wpdb->base_prefix ?? $GLOBALS['table_prefix'] ?? '';
            $table = \is_string($table) ? $table : '';
            $secret = \defined('AUTH_KEY') && \is_string(\AUTH_KEY) ? \AUTH_KEY : '';
            // SQLite needs neither
            $host = \defined('DB_HOST') ? DB_HOST : '';
            $name = \defined('DB_NAME') ? DB_NAME : '';
            $prefix = 'wp:' . hash('xxh128', implode("\n", [$host, $name, $table, $secret])) . ':';
        }

        return $prefix;
    }

    /**
     * True if nothing was purged since the page was rendered, or nothing on which it depends.
     *
     * @param mixed[] $page
     * @phpstan-impure
     */
    public static function isValid(array $page): bool
    {
        return isset($page['keys']) && \is_array($page['keys'])
            && (larder_fetch(self::prefix() . 'generation') === $page['generation']
                || larder_fetch_multiple($page['keys']) === $page['versions']);
    }

    /** @param Page $page */
    public static function send(array $page, string $status = 'hit'): never
    {
        foreach ($page['headers'] as $line) { // wp-config.php may have sent it for this visitor, too
            header_remove(explode(':', $line, 2)[0]);
        }
        foreach ($page['headers'] as $line) {
            header($line, false);
        }
        header('Age: ' . max(0, time() - $page['time']));
        header("Cache-Status: Larder; $status");
        if (self::isUnchanged($page['etag'], $page['modified'])) {
            http_response_code(304);
        } elseif ($_SERVER['REQUEST_METHOD'] !== 'HEAD') {
            echo $page['body'];
        }

        exit;
    }

    /** By RFC 9110, 13.2.2: If-Modified-Since only without If-None-Match. */
    private static function isUnchanged(string $etag, string $modified): bool
    {
        $asked = $_SERVER['HTTP_IF_NONE_MATCH'] ?? null;
        if (\is_string($asked)) {
            $tags = array_map(static fn(string $tag): string => trim($tag, " \tW/"), explode(',', $asked));

            return \in_array('*', $tags, true) || \in_array(ltrim($etag, 'W/'), $tags, true);
        }
        $since = $_SERVER['HTTP_IF_MODIFIED_SINCE'] ?? null;

        return \is_string($since) && $modified !== '' && strtotime($modified) <= strtotime($since);
    }

    /**
     * True if a name is neither in the list nor among those of LARDER_PAGE.
     *
     * @param list<int|string> $names
     */
    private static function unknown(array $names, string $list, string $setting): bool
    {
        $more = self::setting($setting);
        foreach ($names as $name) {
            $name = (string) $name;
            if (preg_match($list, $name) === 1) {
                continue;
            }
            foreach (\is_array($more) ? $more : [] as $pattern) {
                if (\is_string($pattern) && fnmatch($pattern, $name)) {
                    continue 2;
                }
            }

            return true;
        }

        return false;
    }

    public static function setting(string $name): mixed
    {
        return \defined('LARDER_PAGE') && \is_array(\LARDER_PAGE) ? \LARDER_PAGE[$name] ?? null : null;
    }
}
