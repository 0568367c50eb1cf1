<?php

declare(strict_types=1);

namespace Larder\Tests\Http;

use Larder\Cache;
use Larder\Cli\Server\RedisServer;
use Larder\Exception\StoreFailed;
use Larder\Http\ResponseCache;
use Larder\Remember\Computation;
use Larder\Testing\Fork;
use Larder\Testing\SetClock;
use Larder\Tests\Servers;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use Nyholm\Psr7\ServerRequest;
use Nyholm\Psr7\Stream;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Log\NullLogger;
use Symfony\Component\Filesystem\Filesystem;

/** Tests what is stored for all visitors, and above all what is not: each rule with the leak that it prevents. */
final class ResponseCacheTest extends TestCase
{
    private const URL = 'https://shop.example/page?id=7';
    private const KEPT = [
        'Cache-Control' => 'public, max-age=60',
        'Content-Type' => 'text/html',
        'X-Frame-Options' => 'DENY',
    ];

    private Cache $cache;

    protected function setUp(): void
    {
        $this->cache = Cache::open('array:');
    }

    public function testSecondVisitorGetsTheSameResponseWithItsHeaders(): void
    {
        $application = self::application(self::KEPT);
        $first = $this->get($application);
        $second = $this->get($application);
        self::assertSame(
            ['call 1', 'call 1', 1],
            [(string) $first->getBody(), (string) $second->getBody(), $application->calls],
        );
        self::assertSame('DENY', $second->getHeaderLine('X-Frame-Options'));
        self::assertSame(
            ['Larder; fwd=uri-miss', '0'],
            [$first->getHeaderLine('Cache-Status'), $second->getHeaderLine('Age')],
        );
        self::assertMatchesRegularExpression('/^Larder; hit; ttl=(60|59)$/D', $second->getHeaderLine('Cache-Status'));
    }

    /** @return iterable<string, array{string, int}> the method, and the call during which the server goes down */
    public static function outages(): iterable
    {
        foreach (['GET', 'HEAD', 'POST'] as $method) {
            yield "$method, before the first call" => [$method, 0];
            yield "$method, in the first call" => [$method, 1];
            if ($method !== 'GET') { // there is no second call
                yield "$method, in the second call" => [$method, 2];
            }
            yield "$method, after the second call" => [$method, 3];
        }
    }

    /** Each request is answered once, whatever fails before, in or after the application. */
    #[DataProvider('outages')]
    public function testOutageOfAStoreThatThrowsIsAMiss(string $method, int $stopsAt): void
    {
        $server = RedisServer::start(Servers::directory('responses-' . strtolower($method) . $stopsAt));
        $this->cache = Cache::open("redis://$server->socket?on_failure=throw&timeout=10", new NullLogger());
        $application = new Application(
            static function (ServerRequestInterface $request, int $call) use ($server, $stopsAt): Response {
                if ($call === $stopsAt) {
                    $server->stop();
                }

                return new Response(200, self::KEPT, "call $call");
            },
        );
        if ($stopsAt === 0) {
            $server->stop();
        }
        for ($request = 1; $request <= 4; ++$request) {
            if ($stopsAt === 3 && $request === 3) {
                $server->stop();
            }
            $calls = $application->calls;
            self::assertSame(200, $this->get($application, method: $method)->getStatusCode());
            self::assertLessThanOrEqual($calls + 1, $application->calls);
        }
        self::assertSame('Larder; fwd=bypass; detail=store', $this->get($application)->getHeaderLine('Cache-Status'));
        $server->stop();
    }

    public function testFailureOfTheApplicationsOwnStoreIsThrown(): void
    {
        $application = new Application(static fn(): never => throw StoreFailed::because('redis', 'of the application'));
        $this->expectException(StoreFailed::class);
        $this->expectExceptionMessage('of the application');
        $this->get($application);
    }

    public function testHeadIsAnsweredFromAStoredGetAndNeverStored(): void
    {
        $application = self::application(self::KEPT);
        $this->get($application, method: 'HEAD');
        $this->get($application);
        self::assertSame(2, $application->calls);
        $head = $this->get($application, method: 'HEAD');
        self::assertSame(
            ['', 'DENY', 2],
            [(string) $head->getBody(), $head->getHeaderLine('X-Frame-Options'), $application->calls],
        );
    }

    /** @return iterable<string, array{array<string, string|list<string>>, 1?: int}> */
    public static function ofOneVisitor(): iterable
    {
        yield 'a cookie for the visitor: strangers would share a session' => [['Set-Cookie' => 'sid=1', ...self::KEPT]];
        yield 'private' => [['Cache-Control' => 'private, max-age=60']];
        yield 'private in other letters, beside others' => [['Cache-Control' => 's-maxage=60,PRIVATE']];
        yield 'private for some headers' => [['Cache-Control' => 'max-age=60, private="X-Name"']];
        yield 'no-store' => [['Cache-Control' => 'no-store, max-age=60']];
        yield 'no-cache' => [['Cache-Control' => 'no-cache, max-age=60']];
        yield 'no-cache for some headers' => [['Cache-Control' => 'max-age=60, no-cache="Set-Cookie, X"']];
        yield 'private in a second line, within a string that spans both when they are joined' => [
            ['Cache-Control' => ['max-age=60, ext="a', 'private, b="c"']],
        ];
        yield 'no-store in a second line, after a string that does not end' => [
            ['Cache-Control' => ['max-age=60, ext="a\\', 'no-store="b']],
        ];
        yield 'two times in two lines, the shorter counts' => [['Cache-Control' => ['max-age=60', 'max-age=0']]];
        yield 'nothing is said' => [['Content-Type' => 'text/html']];
        yield 'public, but not for how long' => [['Cache-Control' => 'public']];
        yield 'no time at all' => [['Cache-Control' => 'max-age=0']];
        yield 'shared caches must not' => [['Cache-Control' => 'max-age=60, s-maxage=0']];
        yield 'a time that is none' => [['Cache-Control' => 'max-age=1h']];
        yield 'two times, the shorter counts' => [['Cache-Control' => 'max-age=60, max-age=0']];
        yield 'a name within a quoted string is none' => [['Cache-Control' => 'ext="max-age=60"']];
        yield 'expired' => [['Expires' => 'Thu, 01 Jan 1970 00:00:00 GMT']];
        yield 'an expiry that is none' => [['Expires' => '0']];
        yield 'the other expiry that is none' => [['Expires' => '-1']];
        yield 'an expiry in words' => [['Expires' => 'tomorrow']];
        yield 'expired, of another day' => [[
            'Date' => gmdate('D, d M Y H:i:s \G\M\T', time() - 3600),
            'Expires' => gmdate('D, d M Y H:i:s \G\M\T', time() - 10),
        ]];
        yield 'as old by its date' => [['Date' => gmdate('D, d M Y H:i:s \G\M\T', time() - 3600), ...self::KEPT]];
        yield 'as old by the first of two ages' => [['Age' => '60, 0', ...self::KEPT]];
        yield 'varies by what is no name' => [['Vary' => 'Accept Cookie', ...self::KEPT]];
        yield 'shorter than it says' => [['Content-Length' => '1000', ...self::KEPT]];
        yield 'older than it may become' => [['Cache-Control' => 'max-age=60', 'Age' => '60']];
        yield 'caches of networks must not' => [['CDN-Cache-Control' => 'max-age=5, no-store', ...self::KEPT]];
        yield 'caches of networks must not, in an older word' => [['Surrogate-Control' => 'no-store', ...self::KEPT]];
        yield 'nginx must not' => [['X-Accel-Expires' => '0', ...self::KEPT]];
        yield 'varies by everything' => [['Vary' => 'Accept, *', ...self::KEPT]];
        yield 'a part' => [['Content-Range' => 'bytes 0-5/10', ...self::KEPT], 206];
        yield 'an error of the server' => [self::KEPT, 500];
        yield 'an error of a moment' => [self::KEPT, 503];
        yield 'a login is asked for' => [self::KEPT, 401];
        yield 'a redirect of a moment' => [self::KEPT, 302];
    }

    /** @param array<string, string|list<string>> $headers */
    #[DataProvider('ofOneVisitor')]
    public function testResponseOfOneVisitorIsNotKept(array $headers, int $status = 200): void
    {
        $application = self::application($headers, $status);
        self::assertSame('call 1', (string) $this->get($application)->getBody());
        self::assertSame('call 2', (string) $this->get($application)->getBody());
        self::assertSame('call 3', (string) $this->get($application)->getBody());
    }

    /** @return iterable<string, array{array<string, string>, 1?: int}> */
    public static function ofEverybody(): iterable
    {
        yield 'max-age' => [['Cache-Control' => 'max-age=60']];
        yield 's-maxage over max-age' => [['Cache-Control' => 'max-age=0, s-maxage=60']];
        yield 'quoted' => [['Cache-Control' => 'max-age="60"']];
        yield 'caches of networks may, for less' => [
            ['CDN-Cache-Control' => 'max-age=5', 'X-Accel-Expires' => '5', ...self::KEPT],
        ];
        yield 'Expires' => [['Expires' => gmdate('D, d M Y H:i:s \G\M\T', time() + 3600)]];
        yield 'as long as it says' => [['Content-Length' => '6', ...self::KEPT]];
        yield 'not found' => [self::KEPT, 404];
        yield 'moved for good' => [['Location' => '/new', ...self::KEPT], 301];
    }

    /** @param array<string, string> $headers */
    #[DataProvider('ofEverybody')]
    public function testControlResponseOfEverybodyIsKept(array $headers, int $status = 200): void
    {
        $application = self::application($headers, $status);
        $this->get($application);
        self::assertSame(
            ['call 1', $status],
            [(string) $this->get($application)->getBody(), $this->get($application)->getStatusCode()],
        );
    }

    /** @return iterable<string, array{array<string, string|list<string>>, 1?: string, 2?: string}> */
    public static function requestsOfOneVisitor(): iterable
    {
        yield 'a session' => [['Cookie' => 'PHPSESSID=abc']];
        yield 'a session beside an ignored cookie' => [['Cookie' => '_ga=1; sid=2']];
        yield 'a session in a second line' => [['Cookie' => ['_ga=1', 'sid=2']]];
        yield 'a cookie without a name' => [['Cookie' => '=sid']];
        yield 'a long name of a cookie' => [['Cookie' => str_repeat('_ga', 2000) . '=1']];
        yield 'a login' => [['Authorization' => 'Basic abc']];
        yield 'a key of an interface' => [['X-Api-Key' => 'abc']];
        yield 'a condition for a change' => [['If-Match' => '"1"']];
        yield 'a range' => [['Range' => 'bytes=0-1']];
        yield 'a body' => [['Content-Length' => '4']];
        yield 'a body of two lengths' => [['Content-Length' => '0, 4']];
        yield 'a body of unknown length' => [['Transfer-Encoding' => 'chunked']];
        yield 'forbids to keep it' => [['Cache-Control' => 'max-age=0, no-store']];
        yield 'another host' => [[], 'https://evil.example/page?id=7'];
        yield 'another port' => [[], 'https://shop.example:8443/page?id=7'];
        yield 'another scheme' => [[], 'http://shop.example/page?id=7'];
        yield 'another query' => [[], 'https://shop.example/page?id=8'];
        yield 'another path' => [[], 'https://shop.example/Page?id=7'];
        yield 'no query' => [[], 'https://shop.example/page'];
        yield 'a name in the URL' => [[], 'https://evil@shop.example/page?id=7'];
        yield 'another Host than the URL has' => [['Host' => 'evil.example']];
        yield 'a host as $_SERVER spells it' => [['X_Forwarded_Host' => 'evil.example']];
        yield 'a host that stands in for the original' => [['X-Original-Host' => 'evil.example']];
        yield 'a program of the browser' => [['X-Requested-With' => 'XMLHttpRequest']];
        yield 'another site' => [['Origin' => 'https://evil.example']];
        yield 'a host that stands in for the own' => [['X-Forwarded-Host' => 'evil.example']];
        yield 'another scheme by a proxy' => [['X-Forwarded-Proto' => 'http']];
        yield 'another URL by a header' => [['X-Original-URL' => '/admin']];
        yield 'a method by a header' => [['X-HTTP-Method-Override' => 'DELETE']];
        yield 'a method that changes' => [[], self::URL, 'POST'];
        yield 'a method that nobody knows' => [[], self::URL, 'get'];
    }

    /** @param array<string, string|list<string>> $headers */
    #[DataProvider('requestsOfOneVisitor')]
    public function testRequestOfOneVisitorIsNeitherAnsweredFromHereNorPoisonsOthers(
        array $headers,
        string $url = self::URL,
        string $method = 'GET',
    ): void {
        $application = self::application(self::KEPT);
        $this->get($application, $headers, $url, $method);
        self::assertSame('call 2', (string) $this->get($application)->getBody(), 'what it got is not what others get');
        $this->get($application, $headers, $url, $method);
        if (
            !\in_array($method, ['POST', 'get'], true) && !isset($headers['X-HTTP-Method-Override'])
        ) { // after this, the application builds the response again
            self::assertSame('call 2', (string) $this->get($application)->getBody());
        }
        self::assertStringNotContainsString(
            'call 2',
            (string) $this->get($application, $headers, $url, $method)->getBody(),
        );
    }

    public function testControlOrdinaryRequestIsAnsweredFromHere(): void
    {
        $application = self::application(self::KEPT);
        foreach ([[], ['Cookie' => '_ga=1; _gid=2'], ['User-Agent' => 'x'], ['Cache-Control' => 'no-cache'], [
            'Content-Length' => '0',
        ]] as $headers) {
            self::assertSame('call 1', (string) $this->get($application, $headers)->getBody());
        }
    }

    /** @return iterable<string, array{ServerRequest}> */
    public static function requestsOfOneVisitorByMoreThanHeaders(): iterable
    {
        foreach ([
            'REMOTE_USER', 'REDIRECT_REMOTE_USER', 'PHP_AUTH_USER', 'PHP_AUTH_DIGEST', 'SSL_CLIENT_S_DN',
            'HTTP_AUTHORIZATION', 'REDIRECT_HTTP_AUTHORIZATION', 'REDIRECT_REDIRECT_REMOTE_USER', 'HTTP_X_API_KEY',
            'AUTH_TYPE', 'PHP_AUTH_PW',
        ] as $name) {
            yield "the web server has checked $name" => [
                new ServerRequest('GET', self::URL, serverParams: [$name => 'bob']),
            ];
        }
        yield 'a login without a name' => [
            new ServerRequest('GET', self::URL, serverParams: ['PHP_AUTH_USER' => '', 'PHP_AUTH_PW' => 'alice']),
        ];
        yield 'a login without a name and a password' => [
            new ServerRequest('GET', self::URL, serverParams: ['REDIRECT_PHP_AUTH_USER' => '']),
        ];
        $request = new ServerRequest('GET', self::URL);
        yield 'a cookie that was parsed elsewhere' => [$request->withCookieParams(['sid' => '1'])];
        yield 'a body that was parsed elsewhere' => [$request->withParsedBody(['id' => '8'])];
        yield 'a query that was parsed elsewhere' => [$request->withQueryParams(['id' => '8'])];
        yield 'a body of a length that nobody knows' => [
            $request->withBody(new LyingStream(Stream::create('id=8'), null)),
        ];
        yield 'the URL in other bytes' => [
            new ServerRequest('GET', self::URL, serverParams: ['REQUEST_URI' => '/page?id=7&"><script>']),
        ];
        yield 'the URL in other bytes, by IIS' => [
            new ServerRequest('GET', self::URL, serverParams: ['UNENCODED_URL' => '/page?id=7&"><script>']),
        ];
        yield 'a fragment, which some servers hand on' => [
            $request->withUri($request->getUri()->withFragment('<script>')),
        ];
        yield 'another target' => [$request->withRequestTarget('https://evil.example/page?id=7')];
    }

    #[DataProvider('requestsOfOneVisitorByMoreThanHeaders')]
    public function testWhatTellsVisitorsApartIsNotOnlyInHeaders(ServerRequest $request): void
    {
        $application = self::application(self::KEPT);
        self::assertSame('call 1', (string) $this->middleware()->process($request, $application)->getBody());
        self::assertSame('call 2', (string) $this->get($application)->getBody());
        self::assertNotSame('call 2', (string) $this->middleware()->process($request, $application)->getBody());
    }

    /** Caddy sends these with each request. */
    public function testControlEmptyParametersOfTheWebServerAreNoLogin(): void
    {
        $application = self::application(self::KEPT);
        $request = new ServerRequest(
            'GET',
            self::URL,
            serverParams: ['AUTH_TYPE' => '', 'REMOTE_USER' => '', 'REMOTE_IDENT' => ''],
        );
        self::assertSame(
            ['call 1', 'call 1'],
            array_map(
                fn(): string => (string) $this->middleware()->process($request, $application)->getBody(),
                range(1, 2),
            ),
        );
    }

    public function testIgnoredCookiesDoNotReachAnybodyElse(): void
    {
        $application = new Application(static fn(ServerRequestInterface $request): Response => new Response(
            200,
            self::KEPT,
            $request->getHeaderLine('Cookie') . json_encode($request->getCookieParams()),
        ));
        $first = $this->middleware()->process(
            (new ServerRequest('GET', self::URL, ['Cookie' => '_ga=<script>']))->withCookieParams([
                '_ga' => '<script>',
            ]),
            $application,
        );
        self::assertSame(['[]', '[]'], [(string) $first->getBody(), (string) $this->get($application)->getBody()]);
    }

    /** No blocklist of visitor's parameters would contain all of these. */
    public function testServerParametersOfOneVisitorAreInNoPageOfOthers(): void
    {
        $application = new Application(
            static fn(ServerRequestInterface $request): Response
                => new Response(200, self::KEPT, (string) json_encode($request->getServerParams())),
        );
        $ofVisitor = array_fill_keys([
            'MM_COUNTRY_CODE', 'OIDC_CLAIM_email', 'DN', 'GEOIP2_CITY', 'REDIRECT_DN', 'SSL_CLIENT_VERIFY', 'UNIQUE_ID',
            'SERVER_SAID_NAME', 'HTTP_X_NAME', 'REMOTE_IDENT', 'CONTENT_TYPE',
        ], 'of-one-visitor');
        $ofServer = array_fill_keys([
            'SERVER_NAME', 'HTTPS', 'SCRIPT_NAME', 'PHP_SELF', 'PATH_INFO', 'REDIRECT_STATUS', 'REDIRECT_URL',
            'REDIRECT_QUERY_STRING', 'IIS_WasUrlRewritten', 'UNENCODED_URL', 'APP_ENV', 'REDIRECT_APP_ENV',
        ], 'of-the-server');
        $factory = new Psr17Factory();
        $middleware = new ResponseCache($this->cache, $factory, $factory, $factory, ['shop.example'], serverParams: [
            'APP_*',
            'REMOTE_*',
        ]);
        $page = (string) $middleware
            ->process(new ServerRequest('GET', self::URL, serverParams: $ofVisitor + $ofServer), $application)
            ->getBody();
        self::assertSame($ofServer, json_decode($page, true));
    }

    public function testRequestWithAMethodInAHeaderIsAChange(): void
    {
        $application = self::application(self::KEPT);
        $bodies = array_map(
            fn(array $override): string => (string) $this->get($application, $override)->getBody(),
            [[], ['X-HTTP-Method-Override' => 'DELETE'], ['X-HTTP-Method-Override' => 'DELETE'], []],
        );
        self::assertSame(['call 1', 'call 2', 'call 3', 'call 4'], $bodies);
        $this->get($application, ['X-HTTP-Method-Override' => 'PUT'], method: 'POST');
        self::assertSame('call 6', (string) $this->get($application)->getBody());
    }

    public function testChangeConcernsAlsoWhatWasMadeForOtherHeaders(): void
    {
        $application = self::application(self::KEPT);
        $this->get($application, ['X-Requested-With' => 'XMLHttpRequest']);
        $this->get($application, method: 'POST');
        self::assertSame(
            'call 3',
            (string) $this->get($application, ['X-Requested-With' => 'XMLHttpRequest'])->getBody(),
        );
    }

    public function testVariantsAreKeptApart(): void
    {
        $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
            => new Response(
                200,
                ['Vary' => 'Accept-Language, Accept', ...self::KEPT],
                $request->getHeaderLine('Accept-Language') . $call,
            ));
        self::assertSame('1', (string) $this->get($application)->getBody());
        foreach (['de' => 'de2', 'fr' => 'fr3', '' => '1'] as $language => $body) {
            for ($i = 0; $i < 3; ++$i) {
                self::assertSame(
                    $body,
                    (string) $this->get($application, $language === '' ? [] : ['Accept-Language' => $language])
                        ->getBody(),
                );
            }
        }
    }

    public function testResponseThatVariesByMoreLaterIsNotGivenToOthers(): void
    {
        $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
            => new Response(
                200,
                [...($request->hasHeader('X-Group') ? ['Vary' => 'X-Group'] : []), ...self::KEPT],
                $request->getHeaderLine('X-Group') . $call,
            ));
        self::assertSame('a1', (string) $this->get($application, ['X-Group' => 'a'])->getBody());
        self::assertSame('2', (string) $this->get($application)->getBody());
        self::assertSame('b3', (string) $this->get($application, ['X-Group' => 'b'])->getBody());
        self::assertSame(['a4', '2', 'b3'], [
            (string) $this->get($application, ['X-Group' => 'a'])->getBody(),
            (string) $this->get($application)->getBody(),
            (string) $this->get($application, ['X-Group' => 'b'])->getBody(),
        ]);
    }

    /**
     * An application that only sends Vary for headers that it has received: the header is hidden at first, and then
     * passed in a second call.
     */
    public function testResponseThatVariesByAHeaderThatWasHiddenIsMadeAgain(): void
    {
        $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
            => new Response(
                200,
                [...($call === 1 ? [] : ['Vary' => 'X-Group']), ...self::KEPT],
                $request->getHeaderLine('X-Group') . $call,
            ));
        self::assertSame('1', (string) $this->get($application)->getBody());
        $this->cache->deleteMany(array_filter(
            [...$this->cache->keys('response:')],
            static fn(string $key): bool => substr_count($key, ':') === 2,
        ));
        self::assertSame('a3', (string) $this->get($application, ['X-Group' => 'a'])->getBody());
        self::assertSame(['a3', '4', 'b5'], [
            (string) $this->get($application, ['X-Group' => 'a'])->getBody(),
            (string) $this->get($application)->getBody(),
            (string) $this->get($application, ['X-Group' => 'b'])->getBody(),
        ]);
    }

    public function testErrorOfAMomentKeepsAUrlOutForAMomentOnly(): void
    {
        [$middleware, $clock] = $this->middlewareWithClock();
        foreach ([503 => 1, 404 => 60] as $status => $seconds) {
            $request = new ServerRequest('GET', self::URL . "&status=$status");
            $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
                => new Response(
                    $call === 1 ? $status : 200,
                    ['Cache-Control' => $call === 1 ? 'private' : 'max-age=600'],
                    "call $call",
                ));
            $bodies = [];
            foreach ([0, 0, $seconds - 1, 1, 0] as $later) {
                $clock->move($later);
                $bodies[] = (string) $middleware->process($request, $application)->getBody();
            }
            self::assertSame(['call 1', 'call 2', 'call 3', 'call 4', 'call 4'], $bodies);
        }
    }

    /** The first response, to a whole request, was no error. */
    public function testErrorOfAMomentInTheResponseForEverybodyDoesSoToo(): void
    {
        [$middleware, $clock] = $this->middlewareWithClock();
        $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
            => new Response($call === 2 ? 503 : 200, ['Cache-Control' => 'max-age=600'], "call $call"));
        $bodies = [];
        foreach ([0, 0, 0, 1, 0, 0] as $later) {
            $clock->move($later);
            $bodies[] = (string) $middleware
                ->process(new ServerRequest('GET', self::URL, ['User-Agent' => 'x']), $application)
                ->getBody();
        }
        self::assertSame(['call 1', 'call 2', 'call 3', 'call 4', 'call 5', 'call 5'], $bodies);
    }

    /** @return array{ResponseCache, SetClock} */
    private function middlewareWithClock(): array
    {
        $clock = new SetClock(new \DateTimeImmutable('@1800000000'));
        $factory = new Psr17Factory();

        return [new ResponseCache($this->cache, $factory, $factory, $factory, ['shop.example'], clock: $clock), $clock];
    }

    public function testVariantsAreBounded(): void
    {
        $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
            => new Response(200, ['Vary' => 'Accept-Language', ...self::KEPT], str_repeat('x', 1000)));
        $this->get($application);
        for ($i = 0; $i < 100; ++$i) {
            $this->get($application, ['Accept-Language' => "x-$i"]);
        }
        self::assertLessThan(25, \count([...$this->cache->keys()]));
        self::assertSame(101, $application->calls);
        $this->get($application, ['Accept-Language' => 'x-99']);
        self::assertSame(101, $application->calls);
        $this->get($application, ['Accept-Language' => 'x-0']);
        self::assertSame(102, $application->calls);
    }

    /** Otherwise each new variant would use the store as often as if others changed the URL all the time. */
    public function testStoreThatRefusesIsNotAskedAgainAndAgain(): void
    {
        $server = RedisServer::start(Servers::directory('http-refuses-' . bin2hex(random_bytes(4))));
        $redis = new \Redis();
        $redis->connect($server->socket);
        $middleware = $this->middleware(Cache::open("redis://$server->socket"));
        $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
            => new Response(200, ['Vary' => 'Accept-Language', ...self::KEPT], "call $call"));
        $total = static fn(): mixed => ((array) $redis->info('stats'))['total_commands_processed'] ?? null;
        $commands = static function (string $language) use ($middleware, $application, $total): int {
            $before = $total();
            $middleware->process(new ServerRequest('GET', self::URL, ['Accept-Language' => $language]), $application);
            $after = $total();

            return \is_int($before) && \is_int($after) ? $after - $before : self::fail('no number of commands');
        };
        $commands('de');
        $kept = $commands('de');
        self::assertTrue($redis->rawcommand('ACL', 'SETUSER', 'default', '-@write'));
        self::assertLessThan(4 * $kept, $commands('fr'));
        $commands('fr');
        self::assertSame(4, $application->calls, 'nothing was kept');
        $commands('de');
        self::assertSame(4, $application->calls, 'the control: what was kept before is found');
        $server->stop();
    }

    public function testNoVariantAtAllLeavesNothingBehind(): void
    {
        $application = new Application(
            static fn(): Response => new Response(200, ['Vary' => 'Accept-Language', ...self::KEPT]),
        );
        $sizes = [];
        for ($i = 0; $i < 20; ++$i) {
            $this->middleware(maxVariants: 0)
                ->process(new ServerRequest('GET', self::URL, ['Accept-Language' => "x-$i"]), $application);
            $sizes[] = \strlen(serialize(array_map($this->cache->get(...), [...$this->cache->keys('response:')])));
        }
        self::assertSame($sizes[5], $sizes[19]);
    }

    public function testNormalizedHeaderMakesFewVariants(): void
    {
        $application = new Application(
            static fn(ServerRequestInterface $request, int $call): Response
                => new Response(200, ['Vary' => 'Accept-Encoding', ...self::KEPT], "call $call"),
        );
        $normalize = [
            'Accept-Encoding' => static fn(string $line): string => str_contains($line, 'gzip') ? 'gzip' : '',
        ];
        $this->get($application);
        foreach (['gzip, br', 'gzip;q=1', 'gzip'] as $encodings) {
            $response = $this->middleware(normalize: $normalize)
                ->process(new ServerRequest('GET', self::URL, ['Accept-Encoding' => $encodings]), $application);
            self::assertSame('call 2', (string) $response->getBody());
        }
    }

    public function testApplicationGetsTheNormalizedHeader(): void
    {
        $application = new Application(static fn(ServerRequestInterface $request): Response => new Response(
            200,
            ['Vary' => 'Accept-Encoding', ...self::KEPT],
            $request->getHeaderLine('Accept-Encoding'),
        ));
        $normalize = [
            'Accept-Encoding' => static fn(string $line): string => str_contains($line, 'gzip') ? 'gzip' : '',
        ];
        $bodies = array_map(
            fn(string $line): string => (string) $this->middleware(
                normalize: $normalize,
            )->process(new ServerRequest('GET', self::URL, ['Accept-Encoding' => $line]), $application)->getBody(),
            ['gzip, br', 'gzip, br', 'gzip', 'br'],
        );
        self::assertSame(['gzip, br', 'gzip', 'gzip', ''], $bodies, 'the first is not kept');
    }

    public function testClientThatHasItIsToldSo(): void
    {
        $application = self::application(['Last-Modified' => 'Mon, 01 Jan 2024 00:00:00 GMT', ...self::KEPT]);
        $tag = $this->get($application)->getHeaderLine('ETag');
        self::assertMatchesRegularExpression('~^W/"[0-9a-f]{32}"$~D', $tag);
        foreach ([
            ['If-None-Match' => $tag],
            ['If-None-Match' => '"other", ' . substr($tag, 2)],
            ['If-None-Match' => '*'],
            ['If-Modified-Since' => 'Mon, 01 Jan 2024 00:00:00 GMT'],
        ] as $headers) {
            $unchanged = $this->get($application, $headers);
            self::assertSame([304, '', $tag, 'public, max-age=60'], [
                $unchanged->getStatusCode(),
                (string) $unchanged->getBody(),
                $unchanged->getHeaderLine('ETag'),
                $unchanged->getHeaderLine('Cache-Control'),
            ]);
        }
        foreach ([
            ['If-None-Match' => '"other"'],
            ['If-None-Match' => '"other"', 'If-Modified-Since' => 'Mon, 01 Jan 2024 00:00:00 GMT'],
            ['If-Modified-Since' => 'Sun, 31 Dec 2023 00:00:00 GMT'],
            ['If-Modified-Since' => 'never'],
        ] as $headers) {
            self::assertSame(200, $this->get($application, $headers)->getStatusCode());
        }
        self::assertSame(1, $application->calls);
    }

    public function testApplicationIsNotAskedForConditionsWhenTheResponseIsToBeKept(): void
    {
        $application = new Application(static fn(ServerRequestInterface $request): Response
            => $request->hasHeader('If-None-Match') ? new Response(
                304,
            ) : new Response(200, ['ETag' => '"1"', ...self::KEPT], 'whole'));
        self::assertSame(304, $this->get($application, ['If-None-Match' => '"1"'])->getStatusCode());
        self::assertSame([200, 'whole', 1], [
            $this->get($application)->getStatusCode(),
            (string) $this->get($application)->getBody(),
            $application->calls,
        ]);
    }

    public function testHeadersOfTheConnectionAreNotKept(): void
    {
        $application = self::application([
            'Connection' => 'close, X-Hop', 'X-Hop' => '1', 'Transfer-Encoding' => 'chunked',
            'Keep-Alive' => 'timeout=5', ...self::KEPT,
        ]);
        $this->get($application);
        $found = $this->get($application);
        self::assertSame([false, false, false, false, true], array_map($found->hasHeader(...), [
            'Connection', 'X-Hop', 'Transfer-Encoding', 'Keep-Alive', 'Content-Type',
        ]));
    }

    public function testAgeCountsFromWhereTheResponseWasMade(): void
    {
        $application = self::application(['Age' => '20', ...self::KEPT]);
        $this->get($application);
        $found = $this->get($application);
        self::assertSame('20', $found->getHeaderLine('Age'));
        self::assertMatchesRegularExpression('/ttl=(40|39)$/D', $found->getHeaderLine('Cache-Status'));
    }

    public function testNothingIsKeptForLongerThanADay(): void
    {
        $application = self::application(['Cache-Control' => 'max-age=31536000']);
        $this->get($application);
        self::assertMatchesRegularExpression(
            '/ttl=(86400|86399)$/D',
            $this->get($application)->getHeaderLine('Cache-Status'),
        );
    }

    public function testLongAndUnendingResponsesPassThroughWhole(): void
    {
        $long = str_repeat('x', 2_000_000);
        $application = new Application(static fn(): Response => new Response(200, self::KEPT, $long));
        self::assertSame($long, (string) $this->get($application)->getBody());
        self::assertSame($long, (string) $this->get($application)->getBody());
        self::assertSame(2, $application->calls);
        $application = new Application(
            static fn(): Response => new Response(200, self::KEPT, Stream::create(self::pipe('piped'))),
        );
        self::assertSame(['piped', 'piped'], [
            (string) $this->get($application, url: self::URL . '&p')->getBody(),
            (string) $this->get($application, url: self::URL . '&p')->getBody(),
        ]);
    }

    public function testBodyThatIsLongerThanItsStreamSaysIsNotKept(): void
    {
        $long = str_repeat('x', 2_000_000);
        $application = new Application(
            static fn(): Response => new Response(200, self::KEPT, new LyingStream(Stream::create($long), 5)),
        );
        self::assertSame([$long, $long, 2], [
            (string) $this->get($application)->getBody(),
            (string) $this->get($application)->getBody(),
            $application->calls,
        ]);
    }

    public function testTagsInvalidate(): void
    {
        $application = new Application(static function (ServerRequestInterface $request, int $call): Response {
            $computation = $request->getAttribute(Computation::class);
            self::assertInstanceOf(Computation::class, $computation);
            $computation->tag('post:7');

            return new Response(200, ['Vary' => 'Accept', ...self::KEPT], "call $call");
        });
        $this->get($application);
        self::assertSame('call 1', (string) $this->get($application)->getBody());
        $this->cache->invalidateTags(['post:7']);
        self::assertSame('call 2', (string) $this->get($application)->getBody());
        self::assertSame('call 2', (string) $this->get($application)->getBody());
        $this->cache->invalidateTags(['post:7']);
        self::assertSame('call 3', (string) $this->get($application)->getBody());
    }

    public function testInvalidationWhileItIsMadeIsNotMissed(): void
    {
        $application = new Application(function (ServerRequestInterface $request, int $call): Response {
            $computation = $request->getAttribute(Computation::class);
            self::assertInstanceOf(Computation::class, $computation);
            $computation->tag('post:7');
            if ($call <= 2) {
                $this->cache->invalidateTags(['post:7']);
            }

            return new Response(200, ['Vary' => 'Accept', ...self::KEPT], "call $call");
        });
        $bodies = array_map(fn(): string => (string) $this->get($application)->getBody(), range(1, 4));
        self::assertSame(['call 1', 'call 2', 'call 3', 'call 3'], $bodies);
    }

    /** @return iterable<string, array{string, int, bool}> */
    public static function changes(): iterable
    {
        yield 'POST' => ['POST', 303, true];
        yield 'DELETE' => ['DELETE', 204, true];
        yield 'PATCH' => ['PATCH', 200, true];
        yield 'refused' => ['POST', 403, false];
        yield 'OPTIONS' => ['OPTIONS', 200, false];
    }

    #[DataProvider('changes')]
    public function testChangeMakesTheUrlAMiss(string $method, int $status, bool $isMade): void
    {
        $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
            => $request->getMethod() === 'GET' ? new Response(
                200,
                ['Vary' => 'Accept', ...self::KEPT],
                "call $call",
            ) : new Response($status));
        $this->get($application);
        $this->get($application, ['Accept' => 'text/plain']);
        $this->get($application, method: $method);
        self::assertSame($isMade ? 'call 4' : 'call 1', (string) $this->get($application)->getBody());
        self::assertSame(
            $isMade ? 'call 5' : 'call 2',
            (string) $this->get($application, ['Accept' => 'text/plain'])->getBody(),
        );
    }

    public function testChangeWhileItIsMadeIsNotUndone(): void
    {
        $application = new Application(
            function (ServerRequestInterface $request, int $call) use (&$application): Response {
                if ($request->getMethod() === 'GET' && $call === 1) {
                    self::assertInstanceOf(Application::class, $application);
                    $this->get($application, method: 'POST');
                }

                return new Response(200, self::KEPT, "call $call");
            },
        );
        self::assertSame(
            ['call 1', 'call 3', 'call 3'],
            array_map(fn(): string => (string) $this->get($application)->getBody(), range(1, 3)),
        );
    }

    public function testExceptionsReachTheCallerAndNothingIsKept(): void
    {
        $application = new Application(
            static fn(ServerRequestInterface $request, int $call): Response
                => $call === 1 ? throw new \DomainException('broken') : new Response(200, self::KEPT, "call $call"),
        );

        try {
            $this->get($application);
            self::fail();
        } catch (\DomainException $error) {
            self::assertSame('broken', $error->getMessage());
        }
        self::assertSame('call 2', (string) $this->get($application)->getBody());
    }

    public function testEntryOfSomethingElseIsAMiss(): void
    {
        $application = self::application(self::KEPT);
        $this->get($application);
        foreach ([...$this->cache->keys()] as $key) {
            $this->cache->set($key, ['status' => 'planted']);
        }
        self::assertSame('call 2', (string) $this->get($application)->getBody());
    }

    public function testStoreThatKeepsNothingPassesEverythingOn(): void
    {
        $this->cache = Cache::open('none:');
        $application = self::application(self::KEPT);
        self::assertSame(
            ['call 1', 'call 2'],
            [(string) $this->get($application)->getBody(), (string) $this->get($application)->getBody()],
        );
    }

    #[Group('waiting')]
    public function testStaleResponseIsServedWhileOneIsMade(): void
    {
        $application = self::application(['Cache-Control' => 'max-age=1, stale-while-revalidate=60']);
        $this->get($application);
        usleep(1_100_000);
        self::assertSame('call 2', (string) $this->get($application)->getBody(), 'the first makes it');
        $strict = self::application(['Cache-Control' => 'max-age=1, must-revalidate, stale-while-revalidate=60']);
        $this->get($strict, url: self::URL . '&strict');
        usleep(1_100_000);
        self::assertSame('call 2', (string) $this->get($strict, url: self::URL . '&strict')->getBody());
    }

    #[Group('waiting')]
    public function testOneOfManyProcessesMakesIt(): void
    {
        [$made, $bodies] = $this->processes(self::KEPT);
        self::assertSame([1, ['a page' => 12]], [$made, array_count_values($bodies)]);
    }

    #[Group('waiting')]
    public function testOneOfManyProcessesMakesItAgain(): void
    {
        [$made, $bodies] = $this->processes(self::KEPT, static function (\Closure $get): void {
            $get();
            usleep(2_100_000);
        }, ['Cache-Control' => 'max-age=1'] + self::KEPT);
        self::assertSame([2, ['a page' => 12]], [$made, array_count_values($bodies)]);
    }

    #[Group('waiting')]
    public function testOneOfManyProcessesMakesWhatVaries(): void
    {
        [$made, $bodies] = $this->processes(['Vary' => 'Accept', ...self::KEPT]);
        self::assertSame([1, ['a page' => 12]], [$made, array_count_values($bodies)]);
    }

    #[Group('waiting')]
    public function testWhatHasBecomePrivateDoesNotComeBack(): void
    {
        $application = new Application(static fn(ServerRequestInterface $request, int $call): Response
            => new Response(
                200,
                ['Cache-Control' => $call === 1 ? 'max-age=1, stale-while-revalidate=60' : 'private'],
                "call $call",
            ));
        $this->get($application);
        $before = \count([...$this->cache->keys()]);
        usleep(1_100_000);
        self::assertSame('call 2', (string) $this->get($application)->getBody());
        self::assertCount($before - 1, [...$this->cache->keys()]);
    }

    #[Group('waiting')]
    public function testControlWithoutMaxAgeEachMakesIt(): void
    {
        [$made, $bodies] = $this->processes(['Content-Type' => 'text/html']);
        self::assertSame([12, ['a page' => 12]], [$made, array_count_values($bodies)]);
    }

    /**
     * Twelve visitors of a page that may not be stored do not wait for each other, except the first time: all are in
     * the application at once.
     */
    public function testVisitorsOfWhatMayNotBeKeptDoNotQueue(): void
    {
        $folder = Servers::directory('http-' . bin2hex(random_bytes(4)));
        $visit = fn(\Closure $meet): string => (string) $this->middleware(Cache::open("file://$folder/cache"))->process(
            new ServerRequest('GET', self::URL),
            new Application(
                static fn(): Response
                    => new Response(200, ['Cache-Control' => 'private'], $meet() === true ? 'all are here' : 'alone'),
            ),
        )->getBody();
        $visit(static fn(): bool => true);
        $forks = array_map(
            static fn(int $visitor): Fork
                => Fork::start(static fn(): string => $visit(static function () use ($folder, $visitor): bool {
                    touch("$folder/visitor$visitor");

                    return Servers::await(static fn(): bool => \count((array) glob("$folder/visitor*")) === 12);
                })),
            range(1, 12),
        );
        self::assertSame(
            array_fill(0, 12, 'all are here'),
            array_map(static fn(Fork $fork): mixed => $fork->result(), $forks),
        );
    }

    /**
     * @param array<string, string> $headers
     * @param (\Closure(\Closure(): string): void)|null $before called first, with a closure that gets the page
     * @param array<string, string>|null $first the headers of the first response, if it has others
     * @return array{int, list<string>} number of calls of the application by twelve processes, and what each got
     */
    private function processes(array $headers, ?\Closure $before = null, ?array $first = null): array
    {
        $folder = sys_get_temp_dir() . '/larder-http-' . getmypid() . '-' . bin2hex(random_bytes(4));
        mkdir($folder);
        $application = new Application(static function () use ($folder, $headers, $first): Response {
            $sent = file_exists("$folder/calls") ? $headers : $first ?? $headers;
            file_put_contents("$folder/calls", 'x', \FILE_APPEND | \LOCK_EX);
            usleep(500_000);

            return new Response(200, $sent, 'a page');
        });
        $get = fn(): string => (string) $this->middleware(Cache::open(
            "file://$folder/cache",
        ))->process(new ServerRequest('GET', self::URL), $application)->getBody();
        if ($before !== null) {
            $before($get);
        }
        $forks = array_map(static fn(): Fork => Fork::start($get), range(1, 12));
        $bodies = [];
        foreach ($forks as $fork) {
            $body = $fork->result();
            self::assertIsString($body);
            $bodies[] = $body;
        }
        $calls = (int) filesize("$folder/calls");
        (new Filesystem())->remove($folder);

        return [$calls, $bodies];
    }

    /** @return resource */
    private static function pipe(string $text): mixed
    {
        $process = popen('printf ' . escapeshellarg($text), 'r');
        self::assertIsResource($process);

        return $process;
    }

    /** @param array<string, string|list<string>> $headers */
    private static function application(array $headers, int $status = 200): Application
    {
        return new Application(
            static fn(ServerRequestInterface $request, int $call): Response
                => new Response($status, $headers, "call $call"),
        );
    }

    /** @param array<string, \Closure(string): string> $normalize */
    private function middleware(?Cache $cache = null, array $normalize = [], int $maxVariants = 16): ResponseCache
    {
        $factory = new Psr17Factory();

        return new ResponseCache($cache ?? $this->cache, $factory, $factory, $factory, [
            'shop.example',
        ], ['_ga*', '_gid'], $normalize, $maxVariants);
    }

    /** @param array<string, string|list<string>> $headers */
    private function get(
        Application $application,
        array $headers = [],
        string $url = self::URL,
        string $method = 'GET',
    ): ResponseInterface {
        return $this->middleware()->process(new ServerRequest($method, $url, $headers), $application);
    }
}
