<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests\PageCache;

use Larder\WordPress\PageCache\PageCache;
use Larder\WordPress\PageCache\Recording;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RunInSeparateProcess;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/../functions.php';

/** Which requests get a stored page, by which key, and which responses are stored. lab/page-cache runs all of it. */
final class RequestTest extends TestCase
{
    private const SERVER = ['REQUEST_METHOD' => 'GET', 'HTTP_HOST' => 'shop.example', 'REQUEST_URI' => '/', 'QUERY_STRING' => ''];

    public static function setUpBeforeClass(): void
    {
        foreach (['DB_HOST', 'DB_NAME'] as $name) {
            \defined($name) || \define($name, 'larder');
        }
    }

    /** Else what changes in one of them, by a request that gets no page, is not seen on its pages. */
    #[RunInSeparateProcess]
    public function testTheSitesOfANetworkHaveOnePrefix(): void
    {
        $GLOBALS['wpdb'] = (object) ['base_prefix' => 'wp_'];
        $GLOBALS['table_prefix'] = 'wp_2_'; // WordPress changes it, after advanced-cache.php
        $known = [\constant('DB_HOST'), \constant('DB_NAME'), 'wp_', ''];
        self::assertSame('wp:' . hash('xxh128', implode("\n", $known)) . ':', PageCache::prefix());
    }

    /** What browsers send with a page that a person opens, and with one that is loaded again. */
    private const CHROME = [
        'HTTP_CONNECTION' => 'keep-alive',
        'HTTP_SEC_CH_UA' => '"Chromium";v="140", "Not=A?Brand";v="24", "Google Chrome";v="140"',
        'HTTP_SEC_CH_UA_MOBILE' => '?0', 'HTTP_SEC_CH_UA_PLATFORM' => '"Linux"', 'HTTP_UPGRADE_INSECURE_REQUESTS' => '1',
        'HTTP_USER_AGENT' => 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
        'HTTP_ACCEPT' => 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,'
            . 'application/signed-exchange;v=b3;q=0.7',
        'HTTP_SEC_FETCH_SITE' => 'same-origin', 'HTTP_SEC_FETCH_MODE' => 'navigate', 'HTTP_SEC_FETCH_USER' => '?1',
        'HTTP_SEC_FETCH_DEST' => 'document', 'HTTP_REFERER' => 'https://shop.example/', 'HTTP_DNT' => '1', 'HTTP_SEC_GPC' => '1',
        'HTTP_ACCEPT_ENCODING' => 'gzip, deflate, br, zstd', 'HTTP_ACCEPT_LANGUAGE' => 'en-GB,en;q=0.9', 'HTTP_PRIORITY' => 'u=0, i',
    ];
    private const FIREFOX = [
        'HTTP_USER_AGENT' => 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
        'HTTP_ACCEPT' => 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'HTTP_ACCEPT_LANGUAGE' => 'de,en-US;q=0.7',
        'HTTP_ACCEPT_ENCODING' => 'gzip, deflate, br, zstd', 'HTTP_DNT' => '1', 'HTTP_SEC_GPC' => '1', 'HTTP_CONNECTION' => 'keep-alive',
        'HTTP_UPGRADE_INSECURE_REQUESTS' => '1', 'HTTP_SEC_FETCH_DEST' => 'document', 'HTTP_SEC_FETCH_MODE' => 'navigate',
        'HTTP_SEC_FETCH_SITE' => 'none', 'HTTP_SEC_FETCH_USER' => '?1', 'HTTP_PRIORITY' => 'u=0, i', 'HTTP_TE' => 'trailers',
    ];
    private const SAFARI = [
        'HTTP_SEC_FETCH_DEST' => 'document', 'HTTP_SEC_FETCH_MODE' => 'navigate', 'HTTP_SEC_FETCH_SITE' => 'none',
        'HTTP_SEC_FETCH_USER' => '?1',
        'HTTP_USER_AGENT' => 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
            . ' Version/18.6 Mobile/15E148 Safari/604.1',
        'HTTP_ACCEPT' => 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'HTTP_ACCEPT_LANGUAGE' => 'fr-FR,fr;q=0.9',
        'HTTP_ACCEPT_ENCODING' => 'gzip, deflate, br', 'HTTP_PRIORITY' => 'u=0, i', 'HTTP_CONNECTION' => 'keep-alive',
    ];
    private const AGAIN = [
        'HTTP_CACHE_CONTROL' => 'max-age=0', 'HTTP_IF_NONE_MATCH' => 'W/"1"',
        'HTTP_IF_MODIFIED_SINCE' => 'Sun, 01 Jun 2025 12:00:00 GMT',
    ];

    private const ACCEPTED = [
        '', '*/*', 'text/html', 'text/html, */*; q=0.01', 'text/html; charset=utf-8, application/xhtml+xml', 'image/webp,*/*',
        'application/rss+xml, application/rdf+xml;q=0.8, application/atom+xml;q=0.6, application/xml;q=0.4, text/xml;q=0.4',
        'application/xml, application/atom+xml, application/rss+xml, application/feed+json, text/html, */*;q=0.9',
        'application/atom+xml,application/rdf+xml,application/rss+xml,application/x-netcdf,application/xml;q=0.9,*/*;q=0.1',
        'application/atom+xml, text/html;q=0.7, unknown/unknown;q=0.1, application/unknown;q=0.1, */*;q=0.1',
    ];
    private const ANOTHER = [
        'application/json', 'application/json, text/javascript, */*; q=0.01', 'application/json, text/plain, */*', 'image/webp',
        'application/activity+json, application/ld+json; profile="https://www.w3.org/ns/activitystreams", text/html;q=0.1',
        'text/markdown, text/html;q=0.9, */*;q=0.1', 'text/plain', 'text/calendar', 'application/feed+json', 'text/event-stream',
        'text/vnd.turbo-stream.html, text/html', 'text/html application/json',
    ];

    /** @return iterable<string, array{string|null, array<string, string>, array<string, string>}> */
    public static function requests(): iterable
    {
        yield 'a visitor' => [null, [], []];
        yield 'HEAD' => [null, ['REQUEST_METHOD' => 'HEAD'], []];
        yield 'statistics' => [null, [], ['_ga' => 'GA1', '_ga_X1' => 'GS2', '_fbp' => 'fb', '_pk_id_1_a' => '1',
            'amp_0a1b2c' => '1', 'amp_0a1b2c_example_org' => '1']];
        yield 'a mark of a campaign' => [null, ['REQUEST_URI' => '/?utm_source=a', 'QUERY_STRING' => 'utm_source=a'], []];
        foreach (['Chrome' => self::CHROME, 'Firefox' => self::FIREFOX, 'Safari' => self::SAFARI] as $name => $headers) {
            yield "what $name sends" => [null, $headers, []];
            yield "what $name sends to load a page again" => [null, self::AGAIN + $headers, []];
            yield "what $name sends with a login" => ['login', ['HTTP_AUTHORIZATION' => 'Basic x'] + $headers, []];
        }
        yield 'what Chrome sends before a link is opened' => [null, ['HTTP_SEC_PURPOSE' => 'prefetch;prerender'] + self::CHROME, []];

        yield 'POST' => ['method', ['REQUEST_METHOD' => 'POST'], []];
        yield 'a body' => ['body', ['CONTENT_LENGTH' => '3'], []];
        yield 'the type of a body' => ['body', ['CONTENT_TYPE' => 'application/json'], []];
        yield 'Authorization' => ['login', ['HTTP_AUTHORIZATION' => 'Basic x'], []];
        yield 'single sign-on' => ['login', ['HTTP_X_FORWARDED_USER' => 'ada'], []];
        yield 'the address of a login' => ['login', ['HTTP_X_FORWARDED_EMAIL' => 'ada@example.org'], []];
        yield 'a login at Azure' => ['login', ['HTTP_X_MS_CLIENT_PRINCIPAL_NAME' => 'ada'], []];
        yield 'a certificate that a proxy has seen' => ['login', ['HTTP_CLIENT_CERT' => ':x:'], []];
        yield 'X-WP-Nonce' => ['login', ['HTTP_X_WP_NONCE' => 'x'], []];
        yield 'REMOTE_USER' => ['login', ['REMOTE_USER' => 'ada'], []];
        foreach (['PHP_AUTH_USER', 'REDIRECT_REMOTE_USER', 'AUTH_TYPE', 'OIDC_CLAIM_sub', 'MELLON_NAME_ID', 'SSL_CLIENT_S_DN', 'REDIRECT_HTTP_AUTHORIZATION'] as $name) {
            yield "a login in $name" => ['login', [$name => 'ada'], []];
        }
        // WordPress's own .htaccess, in a request without a login
        yield 'Apache' => [null, ['HTTP_AUTHORIZATION' => '', 'REDIRECT_HTTP_AUTHORIZATION' => '', 'PHP_AUTH_USER' => '',
            'AUTH_TYPE' => '', 'REMOTE_USER' => ''], []];
        yield 'a certificate' => ['login', ['SSL_CLIENT_VERIFY' => 'SUCCESS'], []];
        yield 'a range' => ['range', ['HTTP_RANGE' => 'bytes=0-1'], []];
        foreach (['wordpress_logged_in_1', 'comment_author_1', 'wp-postpass_1', 'standin_cart', 'PHPSESSID', '_gaz', 'x_ga', 'amp_mobile_redirect_disabled'] as $name) {
            yield "a cookie $name" => ['cookie', [], ['_ga' => 'GA1', $name => 'x']];
        }
        yield 'another parameter' => ['url', ['REQUEST_URI' => '/?s=a', 'QUERY_STRING' => 's=a'], []];
        yield 'a preview' => ['url', ['REQUEST_URI' => '/?p=1&preview=true', 'QUERY_STRING' => 'p=1&preview=true'], []];
        yield 'an array' => ['url', ['REQUEST_URI' => '/?p[]=1', 'QUERY_STRING' => 'p[]=1'], []];
        yield 'a feed' => [null, ['REQUEST_URI' => '/?feed=rss2', 'QUERY_STRING' => 'feed=rss2'], []];
        yield 'one of many names of a feed' => ['url', ['REQUEST_URI' => '/?feed=__rss2', 'QUERY_STRING' => 'feed=__rss2'], []];
        yield 'one parameter twice' => ['url', ['REQUEST_URI' => '/?p=1&p=2', 'QUERY_STRING' => 'p=1&p=2'], []];
        yield 'parameters of the web server' => ['url', ['QUERY_STRING' => 'lang=de'], []];
        yield 'another host as a path' => ['url', ['REQUEST_URI' => '//evil.example/'], []];
        yield 'a whole URL' => ['url', ['REQUEST_URI' => 'http://evil.example/'], []];
        yield 'bytes of no URL' => ['url', ['REQUEST_URI' => "/a\r\nb"], []];
        yield 'a long path' => ['url', ['REQUEST_URI' => '/' . str_repeat('a', 1000)], []];
        foreach (['', 'a.example/b', 'a b', 'a@b', "a\n", '<a>', 'a?', str_repeat('a', 256)] as $host) {
            yield "no host: $host" => ['host', ['HTTP_HOST' => $host], []];
        }
        foreach (['a-b.example:8080', '[2001:db8::1]:80', '192.0.2.7', 'a_b.example'] as $host) {
            yield "a host: $host" => [null, ['HTTP_HOST' => $host], []];
        }
        yield 'another host behind a proxy' => ['forwarded', ['HTTP_X_FORWARDED_HOST' => 'evil.example'], []];
        foreach (PageCache::SCHEMES as $name) {
            yield "no scheme in $name" => ['forwarded', [$name => 'evil'], []];
        }
        yield 'Azure' => [null, ['HTTP_X_ARR_SSL' => '2048|256|CN=Microsoft Azure TLS Issuing CA 02, O=Microsoft Corporation, C=US'
            . '|CN=*.azurewebsites.net, O=Microsoft Corporation, L=Redmond, S=WA, C=US'], []];
        yield 'a scheme by RFC 7239' => [null, ['HTTP_FORWARDED' => 'proto=https'], []];
        yield 'an address by RFC 7239' => ['forwarded', ['HTTP_FORWARDED' => 'for=192.0.2.7;proto=https'], []];
        yield 'Cloudflare' => [null, ['HTTP_CF_VISITOR' => '{"scheme":"https"}', 'HTTP_X_FORWARDED_PROTO' => 'https'], []];

        yield 'a script of another site' => ['script', ['HTTP_ORIGIN' => 'https://a.example'] + self::CHROME, []];
        yield 'a script' => ['script', ['HTTP_X_REQUESTED_WITH' => 'XMLHttpRequest'] + self::CHROME, []];
        foreach (['HTTP_HX_REQUEST', 'HTTP_TURBO_FRAME', 'HTTP_X_PJAX', 'HTTP_X_BARBA'] as $name) {
            yield "a script that says $name" => ['script', [$name => 'true'] + self::CHROME, []];
        }
        yield 'an app that shows pages' => [null, ['HTTP_X_REQUESTED_WITH' => 'com.example.app'] + self::CHROME, []];
        yield 'a proxy of Microsoft' => [null, ['HTTP_FRONT_END_HTTPS' => 'On'], []];
        foreach (self::ACCEPTED as $kinds) {
            yield "Accept: $kinds" => [null, ['HTTP_ACCEPT' => $kinds], []];
        }
        foreach (self::ANOTHER as $kinds) {
            yield "Accept: $kinds" => ['script', ['HTTP_ACCEPT' => $kinds], []];
        }
    }

    /**
     * @param array<string, string> $server
     * @param array<string, string> $cookies
     */
    #[DataProvider('requests')]
    public function testBypass(?string $expected, array $server, array $cookies): void
    {
        $server += self::SERVER;

        self::assertSame($expected, PageCache::refusal($server, $cookies, [], PageCache::url($server)));
    }

    /** @return iterable<string, array{string, string}> */
    public static function urls(): iterable
    {
        yield 'as it is' => ['/a/', '/a/'];
        yield 'an empty query' => ['/a/?', '/a/'];
        yield 'marks are left out' => ['/a/?utm_source=x&gclid=y&fbclid=', '/a/'];
        yield 'the others are sorted' => ['/?paged=2&utm_source=x&cat=3', '/?cat=3&paged=2'];
        yield 'other scripts' => ['/%e6%96%87/', '/%e6%96%87/'];
    }

    #[DataProvider('urls')]
    public function testUrl(string $given, string $expected): void
    {
        $query = explode('?', $given, 2)[1] ?? '';

        self::assertSame($expected, PageCache::url(['REQUEST_URI' => $given, 'QUERY_STRING' => $query]));
    }

    public function testWhatSaysTheSchemeOrThePortIsInTheKey(): void
    {
        $keys = [PageCache::key(self::SERVER, '/')];
        foreach (PageCache::SCHEMES as $name) {
            foreach (['http', 'https', 'on', '{"scheme":"https"}'] as $value) {
                $keys[] = PageCache::key([$name => $value] + self::SERVER, '/');
            }
        }
        $keys[] = PageCache::key(['SERVER_PORT' => '80'] + self::SERVER, '/');
        $keys[] = PageCache::key(['SERVER_PORT' => '1337'] + self::SERVER, '/');
        self::assertSame($keys, array_values(array_unique($keys)));
        self::assertStringEndsWith('page1:http()://shop.example/', $keys[0]);
    }

    /** @return iterable<string, array{string|null, int, list<string>, string}> */
    public static function responses(): iterable
    {
        $page = '<html></html>';
        yield 'a page' => [null, 200, ['Content-Type: text/html', 'Link: <a>', 'Vary: Accept-Encoding, Cookie'], "$page\n<!-- x -->\n"];
        yield 'a feed' => [null, 200, ['Content-Type: application/rss+xml'], '<rss></rss>'];
        yield 'a page that caches may keep' => [null, 200, ['Cache-Control: public, max-age=60'], $page];
        foreach ([201, 204, 206, 301, 302, 304, 401, 403, 404, 500, 503] as $status) {
            yield "status $status" => ["status-$status", $status, [], $page];
        }
        yield 'a cookie' => ['header', 200, ['set-cookie: a=b'], $page];
        yield 'a compressed page' => ['header', 200, ['Content-Encoding: gzip'], $page];
        yield 'private' => ['private', 200, ['Cache-Control: max-age=3, private'], $page];
        yield 'no-store' => ['private', 200, ['Cache-Control: no-store'], $page];
        yield 'max-age=0' => ['private', 200, ['Cache-Control: max-age=0'], $page];
        yield 'Expires in the past' => ['private', 200, ['Expires: Thu, 01 Jan 1970 00:00:00 GMT'], $page];
        yield 'Expires is no date' => ['private', 200, ['Expires: 0'], $page];
        yield 'max-age is stronger' => [null, 200, ['Cache-Control: max-age=60', 'Expires: 0'], $page];
        yield 'Pragma' => ['private', 200, ['Pragma: no-cache'], $page];
        yield 'for one language' => ['vary', 200, ['Vary: Accept-Encoding', 'Vary: Accept-Language'], $page];
        yield 'for one origin' => ['vary', 200, ['Access-Control-Allow-Origin: https://a.example'], $page];
        yield 'half a page' => ['cut', 200, [], '<html><body>'];
        yield 'an error after the page' => ['cut', 200, [], "$page<b>Fatal error</b>"];
        yield 'no page' => ['cut', 200, ['Content-Type: application/json'], '{}'];
    }

    /** @param list<string> $headers */
    #[DataProvider('responses')]
    public function testStored(?string $expected, int $status, array $headers, string $body): void
    {
        self::assertSame($expected, Recording::refusal($status, $headers, $body));
    }

    public function testNoncesOfStoredPagesAreValidForTwoHoursMore(): void
    {
        self::assertSame(36_000, Recording::secondsUntilGone(86_400));
        self::assertSame(36_000, Recording::secondsUntilGone(7 * 86_400));
        // a nonce is valid for half its life at least
        self::assertSame(1500, Recording::secondsUntilGone(3600));
    }
}
