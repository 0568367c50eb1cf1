<?php

declare(strict_types=1);

namespace Larder\Tests\Http;

use Larder\Cache;
use Larder\Cli\Server\NginxServer;
use Larder\Cli\Server\PhpFpmPool;
use Larder\Cli\Server\PhpFpmServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Filesystem\Filesystem;

/**
 * Behind nginx and PHP-FPM: pages/site.php, requested by visitors who would poison its pages, or see those of others.
 */
final class WebServerTest extends TestCase
{
    /** Headers that applications, their libraries and servers in front are known to read. */
    private const HEADERS = [
        'Accept', 'Accept-Charset', 'Accept-Encoding', 'Accept-Language', 'Accept-Datetime', 'Base-Url',
        'Cache-Control', 'CF-Connecting-IP', 'CF-IPCountry', 'Client-IP',
        'CloudFront-Viewer-Country', 'Content-Type', 'Destination', 'DNT', 'Fastly-Client-IP', 'Forwarded',
        'Forwarded-For', 'From', 'Front-End-Https', 'HX-Request',
        'Max-Forwards', 'Origin', 'Pragma', 'Prefer', 'Priority', 'Proxy', 'Purpose', 'Referer', 'Save-Data',
        'Sec-CH-UA', 'Sec-CH-UA-Mobile', 'Sec-Fetch-Site', 'Sec-GPC',
        'SOAPAction', 'True-Client-IP', 'Turbo-Frame', 'User-Agent', 'Via', 'X-Amz-Website-Redirect-Location',
        'X-Client-IP', 'X-Cluster-Client-IP', 'X-Country', 'X-CSRF-Token',
        'X-Device', 'X-Forwarded', 'X-Forwarded-By', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Port',
        'X-Forwarded-Prefix', 'X-Forwarded-Proto', 'X-Forwarded-Scheme',
        'X-Forwarded-Server', 'X-Forwarded-Ssl', 'X-Geo-Country', 'X-Host', 'X-Http-Destinationurl', 'X-Inertia',
        'X-Lang', 'X-Original-Host', 'X-Original-URL',
        'X-Originating-IP', 'X-PJAX', 'X-ProxyUser-Ip', 'X-Real-IP', 'X-Remote-Addr', 'X-Remote-IP', 'X-Requested-With',
        'X-Rewrite-URL', 'X-Scheme', 'X-Script-Name', 'X-Theme',
        'X-UIDH', 'X-Url-Scheme', 'X-WAP-Profile', 'X-Wp-Nonce',
    ];

    private static int $number = 0;
    private static string $folder;
    private static PhpFpmServer $fpm;
    private static NginxServer $nginx;
    private static NginxServer $cachingNginx;
    private static NginxServer $telling;

    public static function setUpBeforeClass(): void
    {
        self::$folder = sys_get_temp_dir() . '/larder-web-' . getmypid() . '-' . bin2hex(random_bytes(4));
        mkdir(self::$folder);
        self::$fpm = PhpFpmServer::start(
            self::$folder . '/fpm',
            [
                'session.save_handler' => 'files',
                'error_reporting' => 0,
                'variables_order' => 'EGPCS',
                'request_order' => 'GPC',
            ],
            [],
            [
                new PhpFpmPool('www', workers: 4, directives: ['env[SITE]' => self::$folder]),
                new PhpFpmPool('plain', workers: 4, directives: [
                    'env[SITE]' => self::$folder . '/plain',
                    'env[PLAIN]' => '1',
                ]),
            ],
        );
        mkdir(self::$folder . '/plain');
        self::$nginx = NginxServer::start(self::$folder . '/nginx', __DIR__ . '/pages', self::$fpm->socket);
        $zone = \sprintf('fastcgi_cache_path %s/nginx-cache keys_zone=pages:1m;', self::$folder);
        self::$cachingNginx = NginxServer::start(
            self::$folder . '/caching-nginx',
            __DIR__ . '/pages',
            self::$fpm->socket,
            $zone,
            <<<'CONF'
            fastcgi_cache pages;
            fastcgi_cache_key $scheme$host$request_uri;
            add_header X-Nginx $upstream_cache_status;
            CONF,
        );
        self::$telling = NginxServer::start(
            self::$folder . '/telling-nginx',
            __DIR__ . '/pages',
            self::$fpm->socket,
            scripts: 'fastcgi_param DN $http_x_dn; fastcgi_param APP_ENV told;',
        );
    }

    public static function tearDownAfterClass(): void
    {
        self::$telling->stop();
        self::$cachingNginx->stop();
        self::$nginx->stop();
        self::$fpm->stop();
        (new Filesystem())->remove(self::$folder);
    }

    /** @return iterable<string, array{string}> */
    public static function headers(): iterable
    {
        foreach (self::HEADERS as $header) {
            yield $header => [$header];
        }
    }

    #[DataProvider('headers')]
    public function testHeaderOfOneVisitorIsInNoPageOfOthers(string $header): void
    {
        $path = self::path('seen');
        self::ask($path, [$header => 'of-one-visitor']);
        self::ask($path, [$header => 'of-one-visitor']);
        self::ask($path, ['User-Agent' => 'of another one']);
        self::ask($path, ['User-Agent' => 'of another one']);
        $page = self::ask($path, ['User-Agent' => 'of another one']);
        self::assertStringNotContainsString('of-one-visitor', $page->body);
        self::assertStringStartsWith('Larder; hit', $page->headers['cache-status'] ?? '', 'or it shows nothing');
    }

    public function testControlApplicationSeesTheHeaderOfARequestWhosePageIsNotKept(): void
    {
        $page = self::ask(self::path('seen'), ['User-Agent' => 'of-one-visitor']);
        self::assertGreaterThanOrEqual(
            4,
            substr_count($page->body, 'of-one-visitor'),
            'PSR-7 has it twice, $_SERVER and $_ENV once',
        );
        $page = self::ask(self::path('seen'), ['Cookie' => 'sid=of-one-visitor', 'X-Device' => 'small']);
        self::assertSame(3, substr_count($page->body, '"sid":"of-one-visitor"'), 'PSR-7, $_COOKIE and $_REQUEST');
        self::assertStringContainsString('small', $page->body);
    }

    /** All visitors have the address 127.0.0.1; a page for everybody has another one. */
    public function testAddressAndIgnoredCookiesOfOneVisitorAreInNoPageOfOthers(): void
    {
        $path = self::path('seen');
        $visitor = ['Cookie' => '_ga=of-one-visitor', 'User-Agent' => 'x'];
        self::assertStringContainsString(
            'of-one-visitor',
            self::ask($path, $visitor)->body,
            'the control: the first page is not kept',
        );
        self::ask($path, $visitor);
        $page = self::ask($path, $visitor);
        self::assertStringStartsWith('Larder; hit', $page->headers['cache-status'] ?? '');
        self::assertStringNotContainsString('of-one-visitor', $page->body);
        self::assertStringContainsString('"REMOTE_ADDR":"0.0.0.0"', $page->body);
        self::assertStringNotContainsString('"REMOTE_ADDR":"127', $page->body);
    }

    public function testWhatTheWebServerTellsOfOneVisitorIsInNoPageOfOthers(): void
    {
        $path = self::path('seen');
        $visitor = ['X-Dn' => 'of-one-visitor'];
        self::assertSame(
            3,
            substr_count(self::ask($path, $visitor, port: self::$telling->port)->body, '"DN":"of-one-visitor"'),
            'the control: PSR-7, $_SERVER and $_ENV of the first page',
        );
        self::ask($path, $visitor, port: self::$telling->port);
        $page = self::ask($path, $visitor, port: self::$telling->port);
        self::assertStringStartsWith('Larder; hit', $page->headers['cache-status'] ?? '');
        self::assertStringNotContainsString('of-one-visitor', $page->body);
    }

    public function testApplicationGetsItsConfigurationWithAPageThatIsKept(): void
    {
        $path = self::path('seen');
        self::ask($path, port: self::$telling->port);
        $page = self::ask($path, port: self::$telling->port)->body;
        foreach ([
            '"SITE":' => 3,
            '"APP_ENV":"told"' => 3,
            '"SET_EARLIER":"by the application"' => 3,
            '"SCRIPT_NAME":"' => 3,
        ] as $part => $times) {
            self::assertSame([$part => $times], [$part => substr_count($page, $part)]);
        }
    }

    public function testEachGetsThePageOfTheHeaderThatVaryNames(): void
    {
        $path = self::path('varies');
        foreach (['de', 'fr', 'de', 'fr', 'de'] as $language) {
            self::assertSame("in $language$language", self::ask($path, ['Accept-Language' => $language])->body);
        }
        self::assertSame(3, self::calls($path));
    }

    /** @return iterable<string, array{string}> */
    public static function ofOneVisitor(): iterable
    {
        foreach ([
            'session', 'closed', 'nocookie', 'cookie', 'silenced', 'own-handler', 'method', 'private', 'network',
            'surrogate', 'native-accel', 'vary', 'languages', 'psr-cookie', 'psr-private', 'accel',
        ] as $is) {
            yield $is => [$is];
        }
    }

    #[DataProvider('ofOneVisitor')]
    public function testPageOfOneVisitorIsNotKept(string $is): void
    {
        $path = self::path($is);
        $pages = array_map(static fn(): string => self::ask($path)->body, range(1, 4));
        self::assertCount(4, array_unique($pages));
    }

    public function testControlOtherPageIsKept(): void
    {
        $path = self::path('other');
        self::ask($path);
        self::assertCount(1, array_unique(array_map(static fn(): string => self::ask($path)->body, range(1, 4))));
    }

    /** A page is built again after the stale one was sent: PHP then sends no header any more, and lists none. */
    #[Group('waiting')]
    public function testPageThatIsOfOneVisitorWhenItIsMadeAgainIsNotKept(): void
    {
        $kinds = [...array_keys([...self::ofOneVisitor()]), 'other'];
        $paths = array_combine($kinds, array_map(static fn(string $is): string => self::path("later-$is"), $kinds));
        $first = array_map(static fn(string $path): string => self::kept($path)->body, $paths);
        touch(self::$folder . '/later');
        sleep(2);
        foreach ($paths as $is => $path) {
            $stale = self::ask($path);
            self::assertSame(
                [$first[$is], 'Larder; hit; ttl=-'],
                [$stale->body, substr($stale->headers['cache-status'] ?? '', 0, 18)],
            );
        }
        foreach ($paths as $path) {
            for ($end = microtime(true) + 60.0; self::calls($path) < 3 && microtime(true) < $end; usleep(20_000));
            self::assertGreaterThan(2, self::calls($path), 'it is made again');
        }
        usleep(300_000); // it is stored after this time
        $pages = array_map(
            static fn(string $path): array => array_map(static fn(): string => self::ask($path)->body, range(1, 4)),
            $paths,
        );
        foreach ($pages as $is => $four) {
            self::assertNotContains($first[$is], $four, $is);
            if ($is !== 'other') {
                self::assertCount(4, array_unique($four), $is);
            }
        }
        self::assertLessThan(4, \count(array_unique($pages['other'])), 'the control: this one is kept');
    }

    public function testHeadAndConditionsAreAnsweredFromAStoredPage(): void
    {
        $path = self::path('other');
        $made = self::kept($path);
        $tag = $made->headers['etag'] ?? '';
        self::assertMatchesRegularExpression('~^W/"[0-9a-f]{32}"$~D', $tag);
        $head = self::ask($path, method: 'HEAD');
        self::assertSame(
            [200, '', $tag, 'text/plain; charset=UTF-8'],
            [$head->status, $head->body, $head->headers['etag'] ?? '', $head->headers['content-type'] ?? ''],
        );
        $unchanged = self::ask($path, ['If-None-Match' => $tag]);
        self::assertSame([304, '', $tag], [$unchanged->status, $unchanged->body, $unchanged->headers['etag'] ?? '']);
        $changed = self::ask($path, ['If-None-Match' => '"another"']);
        self::assertSame([200, $made->body], [$changed->status, $changed->body]);
        self::assertMatchesRegularExpression('~^\d+$~D', $changed->headers['age'] ?? '');
        self::assertSame(2, self::calls($path));
    }

    public function testConditionsOfTheFirstVisitorDoNotKeepThePageOut(): void
    {
        $path = self::path('other');
        foreach (range(1, 3) as $i) {
            self::assertSame(200, self::ask($path, ['If-None-Match' => '"x"', 'User-Agent' => 'y'])->status);
        }
        self::assertSame(2, self::calls($path), 'the first time with what is of the visitor, then without');
    }

    #[TestWith(['Range', 'bytes=0-3'])]
    #[TestWith(['Authorization', 'Basic YTpi'])]
    #[TestWith(['Cookie', 'sid=1'])]
    #[TestWith(['X-HTTP-Method-Override', 'DELETE'])]
    #[TestWith(['Host', 'evil.example'])]
    public function testRequestOfOneVisitorIsNotAnsweredFromHere(string $header, string $value): void
    {
        $path = self::path('other');
        $kept = self::kept($path)->body;
        $pages = [$kept, self::ask($path, [$header => $value])->body, self::ask($path, [$header => $value])->body];
        self::assertCount(3, array_unique($pages));
        self::assertNotContains(self::ask($path)->body, \array_slice($pages, 1));
    }

    public function testNginxKeepsTheSamePagesBeforeIt(): void
    {
        foreach ([
            'other' => 'HIT', 'cookie' => 'MISS', 'psr-cookie' => 'MISS', 'psr-private' => 'MISS', 'private' => 'MISS',
            'accel' => 'MISS',
        ] as $is => $expected) {
            $path = self::path($is);
            self::ask($path, port: self::$cachingNginx->port);
            $page = self::ask($path, port: self::$cachingNginx->port);
            self::assertSame([$is => $expected], [$is => $page->headers['x-nginx'] ?? '']);
        }
    }

    public function testNginxAnswersConditionsByTheTagOfThePage(): void
    {
        $path = self::path('other');
        $tag = self::ask($path, port: self::$cachingNginx->port)->headers['etag'] ?? '';
        self::assertStringStartsWith('W/"', $tag);
        $unchanged = self::ask($path, ['If-None-Match' => $tag], port: self::$cachingNginx->port);
        self::assertSame(
            [304, 'HIT', 1],
            [$unchanged->status, $unchanged->headers['x-nginx'] ?? '', self::calls($path)],
        );
    }

    #[Group('waiting')]
    public function testVariantsAreBoundedWhenManyAreMadeAtOnce(): void
    {
        self::assertSame(4, self::variantsOfMany(self::$nginx, self::$folder));
    }

    #[Group('waiting')]
    public function testControlVariantsAreNotBoundedOverAStoreThatCannotCompare(): void
    {
        $nginx = NginxServer::start(
            self::$folder . '/plain-nginx',
            __DIR__ . '/pages',
            \dirname(self::$fpm->socket) . '/fpm-plain.sock',
        );

        try {
            self::assertGreaterThan(4, self::variantsOfMany($nginx, self::$folder . '/plain'));
        } finally {
            $nginx->stop();
        }
    }

    /** @return int number of variants of one URL that are stored after 120 visitors have requested one each at once */
    private static function variantsOfMany(NginxServer $nginx, string $folder): int
    {
        $path = self::path('varies');
        self::ask($path, port: $nginx->port);
        $before = \count([...Cache::open("file://$folder/cache")->keys('response:')]);
        $all = curl_multi_init();
        $handles = [];
        for ($i = 0; $i < 120; ++$i) {
            $handle = curl_init(\sprintf('http://127.0.0.1:%d%s', $nginx->port, $path));
            self::assertNotFalse($handle);
            curl_setopt_array($handle, [
                \CURLOPT_RETURNTRANSFER => true,
                \CURLOPT_HTTPHEADER => ['Host: shop.example', "Accept-Language: x-$i"],
            ]);
            curl_multi_add_handle($all, $handle);
            $handles[] = $handle;
        }
        do {
            curl_multi_exec($all, $running);
            curl_multi_select($all);
        } while ($running > 0);
        foreach ($handles as $i => $handle) {
            self::assertSame("in x-{$i}x-$i", curl_multi_getcontent($handle));
        }

        return \count([...Cache::open("file://$folder/cache")->keys('response:')]) - $before;
    }

    private static function path(string $is): string
    {
        return \sprintf('/site.php?is=%s&n=%d', $is, ++self::$number);
    }

    /** The stored page. The first one is built from the whole request of its visitor, and is not stored. */
    private static function kept(string $path): Answer
    {
        self::ask($path);

        return self::ask($path);
    }

    private static function calls(string $path): int
    {
        clearstatcache();

        return (int) filesize(self::$folder . '/calls-' . md5((string) parse_url($path, \PHP_URL_QUERY)));
    }

    /** @param array<string, string> $headers */
    private static function ask(string $path, array $headers = [], string $method = 'GET', ?int $port = null): Answer
    {
        return Answer::to(
            \sprintf('http://127.0.0.1:%d%s', $port ?? self::$nginx->port, $path),
            ['Host' => 'shop.example', ...$headers],
            $method,
        );
    }
}
