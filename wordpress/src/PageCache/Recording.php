<?php

declare(strict_types=1);

namespace Larder\WordPress\PageCache;

\defined('ABSPATH') || exit;

/**
 * Stores the page that WordPress renders for this request. One process renders a page; the others get the old one if it
 * was only too old, and wait if it was purged or there is none. If that process dies, another takes over.
 *
 * @phpstan-import-type Page from PageCache
 */
final class Recording
{
    /** Seconds to wait for another process before this one renders, too, and stores nothing. */
    private const WAIT = 5.0;

    /** Seconds for which a URL whose response may not be stored passes, so that nobody waits for it. */
    private const PASS = 60;

    /**
     * The same after an error, for which others get the old page if there is one; and for what is missing, redirects and
     * foreign hosts: there is no end of such URLs, and they must not fill the engine.
     */
    private const RETRY = 5;

    /** Bytes of output, after which it goes to the visitor at once: a file, or a page without an end. */
    private const LARGEST = 4 << 20;

    /**
     * Seconds until a page is gone. A nonce lives for 12 hours at least, by WordPress's default nonce_life of a day, so
     * a visitor has two hours to send a form.
     */
    private const GONE = 36_000;
    private const DAY = 86_400;

    /** URLs of one page, such as with capital letters or a comment's page; the oldest goes. */
    private const URLS = 8;

    /** Headers that WordPress sees while it renders a page for all: of the URL, and for those who limit rates. */
    private const KEPT = [
        'HTTP_HOST', 'HTTP_X_FORWARDED_HOST', ...PageCache::SCHEMES, 'HTTP_X_FORWARDED_FOR', 'HTTP_X_REAL_IP',
        'HTTP_CF_CONNECTING_IP',
    ];

    /** Headers, and what web servers say of an address: GEOIP_COUNTRY_CODE, MM_COUNTRY_CODE. */
    private const HIDDEN = '~^(?:REDIRECT_)*(?:HTTP_|GEO|MM_)~';

    /** A browser, because filters of requests refuse what has no name. */
    private const BROWSER = [
        'HTTP_USER_AGENT' => 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)'
            . ' Chrome/140.0.0.0 Safari/537.36',
        'HTTP_CONNECTION' => 'keep-alive',
    ];

    private const VARY = '~^(?:accept-encoding|cookie|authorization|x-forwarded-proto|[\s,])*$~Di';
    private const PRIVATE = '~\b(?:private|no-store|no-cache)\b|\b(?:s-maxage|max-age)=0*(?!\d)~i';
    private const REFUSED = 'Set-Cookie2?|Location|WWW-Authenticate|Content-(?:Range|Encoding)';

    /** Headers of one response, or that PHP sends by itself. */
    private const OWN = '~^(?:X-Powered-By|Date|Connection|Content-Length|Transfer-Encoding|Cache-Status|Age):~i';
    private const FATAL = \E_ERROR | \E_PARSE | \E_CORE_ERROR | \E_COMPILE_ERROR;

    /** The ends of what WordPress writes. Without one, the page was cut off. */
    private const END = '~</(?:html|rss|feed|rdf:RDF|urlset|sitemapindex)>(?:\s|<!--.*?-->)*$~Dis';

    /** Where to ask again. */
    private static string $uri = '';

    private static ?string $key = null;
    private static ?int $token = null;
    private static ?int $generation = null;
    private static ?string $page = null;
    private static ?string $refusal = null;
    private static bool $isDead = false;

    /** @var Page|null one that is too old */
    private static ?array $old = null;

    /** @param string $url of PageCache::url() */
    public static function start(string $key, string $url): void
    {
        if (!self::claim($key)) {
            header('Cache-Status: Larder; fwd=uri-miss; detail=unclaimed');

            return;
        }
        self::$key = $key;
        self::$generation = Purge::generation();
        self::$uri = $url;
        self::hideVisitor($url);
        Dependencies::watch();
        // What may not be stored is known early, so those who wait for it go on.
        add_action('parse_request', static function (object $wp): void {
            $isRest = \is_array($wp->query_vars ?? null) && ($wp->query_vars['rest_route'] ?? '') !== '';
            if ($isRest) {
                self::refuse('rest');
            }
        }, 0);
        add_action('wp', self::asked(...), \PHP_INT_MAX, 0);
        add_filter('wp_is_mobile', self::dependsOnDevice(...), \PHP_INT_MAX);
        add_filter('wp_die_handler', self::dies(...), \PHP_INT_MAX);
        ob_start(self::finish(...), self::LARGEST);
    }

    /** True while a page is rendered for all visitors. */
    public static function isActive(): bool
    {
        return self::$key !== null;
    }

    /**
     * Returns why a response must not be stored; null if it may.
     *
     * @param list<string> $headers lines
     */
    public static function refusal(int $status, array $headers, string $body): ?string
    {
        $control = self::header($headers, 'Cache-Control|CDN-Cache-Control|Surrogate-Control|Pragma');

        return match (true) {
            $status !== 200 => "status-$status", // 304s, redirects, what is missing, errors, maintenance
            self::header($headers, self::REFUSED) !== '' => 'header',
            preg_match(self::PRIVATE, $control) === 1 => 'private',
            self::header($headers, 'X-Accel-Expires') === '0', self::maxAge($headers) < 1 => 'private',
            preg_match(self::VARY, self::header($headers, 'Vary')) !== 1 => 'vary',
            !\in_array(self::header($headers, 'Access-Control-Allow-Origin'), ['', '*'], true) => 'vary',
            preg_match(self::END, substr($body, -2000)) !== 1 => 'cut',
            default => null,
        };
    }

    /** Seconds until a page is gone, by the site's nonce_life. */
    public static function secondsUntilGone(int $nonceLife): int
    {
        return (int) min(self::GONE, self::GONE / self::DAY * $nonceLife);
    }

    /** Claims the page, after a wait if another process renders it. */
    private static function claim(string $key): bool
    {
        $deadline = microtime(true) + self::WAIT;
        do {
            $entry = larder_fetch_entry($key);
            $page = $entry['value'] ?? null;
            $isValid = \is_array($page) && PageCache::isValid($page);
            $useless = $entry !== null && !$isValid && $page !== false && \is_int($entry['cas']) ? $entry['cas'] : null;
            $isFresh = $entry !== null && $entry['ttl'] > 0;
            if ($page === false && $isFresh) {
                return false;
            }
            if ($isValid && $isFresh) { // another process has stored it in between
                /** @var Page $page */
                PageCache::send($page);
            }
            $claim = larder_claim($key, $token, $useless);
            if ($claim === LARDER_CLAIM_UNAVAILABLE) {
                return false;
            }
            if ($claim !== LARDER_CLAIM_OTHER) {
                self::$token = $token;
                $found = larder_fetch_fresh($key, null, 0.0);
                if ($found === false || (\is_array($found) && PageCache::isValid($found))) {
                    larder_unclaim($key);

                    continue;
                }
                /** @var Page|null $page */
                self::$old = $isValid ? $page : null;

                return \is_int($token);
            }
            if ($isValid) {
                /** @var Page $page */
                PageCache::send($page, 'hit; detail=stale');
            }
            if (!larder_await($key, max(0.0, $deadline - microtime(true)), $token)) {
                return false;
            }
        } while (microtime(true) < $deadline);

        return false;
    }

    /** WordPress gets a request that any visitor may have sent. */
    private static function hideVisitor(string $url): void
    {
        foreach (array_keys($_SERVER) as $name) {
            if (preg_match(self::HIDDEN, (string) $name) === 1 && !\in_array($name, self::KEPT, true)) {
                unset($_SERVER[$name]);
            }
        }
        $_SERVER = ['REQUEST_URI' => $url] + self::BROWSER + $_SERVER;
        $_SERVER['QUERY_STRING'] = explode('?', $url, 2)[1] ?? '';
        parse_str($_SERVER['QUERY_STRING'], $_GET);
        $_REQUEST = $_GET;
        $_COOKIE = [];
    }

    /** WordPress has understood the request, and made its main query. */
    private static function asked(): void
    {
        $refusal = match (true) {
            is_404() => 'missing',
            is_search() => 'search',
            is_preview(), is_customize_preview() => 'preview',
            is_trackback(), is_robots(), is_favicon() => 'kind',
            is_user_logged_in() => 'login',
            is_singular() && (get_post()->post_password ?? '') !== '' => 'password',
            !self::isOwnHost() => 'host',
            default => null,
        };
        if ($refusal !== null) {
            self::refuse($refusal);

            return;
        }
        Dependencies::ofMainQuery();
        self::$page = self::identity();
    }

    /**
     * A name of the page that is equal for all URLs by which WordPress finds it. So crafted paths and parameters of a
     * page that exists take the room of a few.
     */
    private static function identity(): string
    {
        /** @var \WP_Query $wp_query */
        global $wp_query;
        $object = get_queried_object();
        $paged = is_singular() ? '' : get_query_var('paged');
        $first = $wp_query->posts[0] ?? null;
        $first = is_date() && $first instanceof \WP_Post ? substr($first->post_date, 0, 10) : '';
        $parts = [get_current_blog_id(), is_ssl(), $_SERVER['HTTP_HOST'], \is_object($object) ? $object::class : ''];
        array_push($parts, get_queried_object_id(), get_query_var('post_type'), $paged, $first, is_embed());
        array_push($parts, get_query_var('feed'), get_query_var('sitemap'), get_query_var('sitemap-subtype'));

        return hash('xxh128', (string) json_encode($parts));
    }

    /**
     * Only hosts that the database names: a constant of wp-config.php may be made of the request's host.
     */
    private static function isOwnHost(): bool
    {
        $options = wp_load_alloptions();
        $hosts = PageCache::setting('hosts');
        $hosts = \is_array($hosts) ? $hosts : [];
        foreach (['home', 'siteurl'] as $name) {
            $parts = parse_url(\is_string($options[$name] ?? null) ? $options[$name] : '');
            $hosts[] = ($parts['host'] ?? '') . (isset($parts['port']) ? ":{$parts['port']}" : '');
        }

        return \in_array($_SERVER['HTTP_HOST'], $hosts, true);
    }

    private static function dependsOnDevice(bool $isMobile): bool
    {
        self::refuse('device');

        return $isMobile;
    }

    /**
     * @template T
     * @param T $handler
     * @return T
     */
    private static function dies(mixed $handler): mixed
    {
        self::$isDead = true; // refused at its end, when its status is known

        return $handler;
    }

    /** The response to this URL passes for a while, and nobody waits for it. */
    private static function refuse(string $reason): void
    {
        if (self::$refusal !== null || self::$key === null || self::$token === null) {
            return;
        }
        self::$refusal = $reason;
        $isError = $reason === 'error' || str_starts_with($reason, 'status-5');
        if (self::$old !== null && ($isError || $reason === 'cut' || $reason === 'died')) {
            $left = self::secondsUntilGone(self::nonceLife()) + self::$old['time'] - time();
            larder_store_cas(self::$key, self::$old, self::$token, self::RETRY, max(0, $left - self::RETRY));
        } elseif ($reason !== 'changed') { // after a change, the next request tries again
            $isOneOfMany = preg_match('~^(?:status|missing|search|host)~', $reason) === 1;
            larder_store_cas(self::$key, false, self::$token, $isError || $isOneOfMany ? self::RETRY : self::PASS);
        }
        larder_unclaim(self::$key);
    }

    /** Gets the whole page, after all other handlers of output. */
    private static function finish(string $body, int $phase): string
    {
        $key = self::$key;
        if ($key === null || self::$token === null) {
            return $body;
        }
        if (self::$refusal === null) {
            $headers = array_values(array_filter(headers_list(), \is_string(...)));
            $status = http_response_code();
            $error = error_get_last();
            $refusal = self::refusal(\is_int($status) ? $status : 0, $headers, $body) ?? match (true) {
                $phase !== (\PHP_OUTPUT_HANDLER_START | \PHP_OUTPUT_HANDLER_FINAL) => 'flushed',
                $error !== null && ($error['type'] & self::FATAL) !== 0 => 'error',
                self::$isDead => 'died',
                self::$page === null, !Purge::isRegistered() => 'kind', // no page of WordPress, or the plugin is off
                \defined('DONOTCACHEPAGE') && \constant('DONOTCACHEPAGE') !== false => 'DONOTCACHEPAGE',
                session_status() === \PHP_SESSION_ACTIVE => 'session',
                is_user_logged_in() => 'login',
                default => null,
            };
            $refusal === null ? self::store($key, self::$token, $headers, $body) : self::refuse($refusal);
        }
        $status = self::$refusal === null ? 'fwd=uri-miss; stored' : 'fwd=uri-miss; detail=' . self::$refusal;
        if (!headers_sent()) {
            header("Cache-Status: Larder; $status");
        }
        self::$key = null;

        return \in_array(self::$refusal, ['vary', 'device'], true) && self::askAgain($key) ? '' : $body;
    }

    /** The page depends on a header that WordPress did not get. Now it passes, so this visitor asks again. */
    private static function askAgain(string $key): bool
    {
        if (headers_sent() || larder_fetch($key) !== false) {
            return false;
        }
        header_remove();
        header('Cache-Control: no-store');
        header('Cache-Status: Larder; fwd=uri-miss; detail=' . self::$refusal);
        header('Location: ' . self::$uri, true, 307);

        return true;
    }

    /** @param list<string> $headers */
    private static function store(string $key, int $token, array $headers, string $body): void
    {
        $etag = self::header($headers, 'ETag');
        if ($etag === '') {
            $etag = 'W/"' . hash('xxh128', $body) . '"';
            $headers[] = "ETag: $etag";
            header("ETag: $etag");
        }
        $kept = preg_grep(self::OWN, $headers, \PREG_GREP_INVERT);
        $keys = Purge::keys(Dependencies::tags());
        $versions = Purge::versions($keys);
        // what was read may have changed since
        if ($versions === null || self::$generation === null || Purge::generation() !== self::$generation) {
            self::refuse('changed');

            return;
        }
        $left = self::secondsUntilGone(self::nonceLife());
        $ttl = PageCache::setting('ttl');
        $ttl = min($left, self::maxAge($headers), \is_int($ttl) && $ttl > 0 ? $ttl : PageCache::TTL);
        self::countUrl($key);
        larder_store_cas($key, [
            'body' => $body, 'headers' => array_values(\is_array($kept) ? $kept : []), 'etag' => $etag,
            'modified' => self::header($headers, 'Last-Modified'), 'time' => time(), 'generation' => self::$generation,
            'keys' => $keys, 'versions' => $versions,
        ], $token, $ttl, max(0, $left - $ttl));
        larder_unclaim($key);
    }

    private static function nonceLife(): int
    {
        $life = apply_filters('nonce_life', self::DAY);

        return \is_int($life) ? $life : self::DAY;
    }

    /** Deletes the oldest URL of the page if this is one too many. */
    private static function countUrl(string $key): void
    {
        $name = PageCache::prefix() . 'urls:' . self::$page;
        $urls = larder_fetch($name, []);
        $urls = array_diff(array_filter(\is_array($urls) ? $urls : [], \is_string(...)), [$key]);
        $urls[] = $key;
        larder_delete_multiple(\array_slice($urls, 0, -self::URLS));
        larder_store($name, \array_slice($urls, -self::URLS), self::GONE);
    }

    /** @param list<string> $headers */
    private static function maxAge(array $headers): int
    {
        $control = self::header($headers, 'Cache-Control');
        foreach (['s-maxage', 'max-age'] as $name) {
            if (preg_match("~\\b$name=(\\d{1,9})~i", $control, $match) === 1) {
                return (int) $match[1];
            }
        }
        $expires = self::header($headers, 'Expires'); // one that is no date is over, such as 0

        return $expires === '' ? self::GONE : (int) strtotime($expires) - time();
    }

    /**
     * The values of all headers with such a name, separated by commas.
     *
     * @param list<string> $headers
     */
    private static function header(array $headers, string $names): string
    {
        $values = [];
        foreach ($headers as $line) {
            if (preg_match("~^(?:$names):\\s*(.*)$~is", $line, $match) === 1) {
                $values[] = $match[1];
            }
        }

        return implode(', ', $values);
    }
}
