<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

use Psr\Http\Message\ServerRequestFactoryInterface;
use Psr\Http\Message\ServerRequestInterface as Request;

/** The parts of a request that decide whether its response may be stored, and under which name. */
final class CacheableRequest
{
    /**
     * Headers by which an application may build its response, though they are not in the URL: as part of the name they
     * poison no other response. Without those that have the visitor's own address.
     */
    private const STANDS_IN = '~^(x-(forwarded|original|rewrite)-(?!.*(for|ip)$).*|forwarded|host|x-host|x-url-scheme'
        . '|front-end-https|origin|x-requested-with|x-pjax|x-inertia|hx-request|turbo-frame)$~D';

    /** Headers that replace the method of a request. */
    private const METHODS = ['x-http-method', 'x-http-method-override', 'x-method-override'];

    /** Headers that identify a visitor. */
    private const CREDENTIALS = [
        'authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'x-auth-token', 'x-access-token', 'remote-user',
        'x-remote-user', 'x-auth-request-user',
    ];

    /** Parameters of a login by the web server, which may hide the header. Some servers always send them, empty. */
    private const LOGINS = ['REMOTE_USER', 'AUTH_TYPE', 'SSL_CLIENT_S_DN'];

    /** Prefix of parameters that only a login has. The name in it may be empty: that of "curl -u :token". */
    private const LOGIN_OF_PHP = 'PHP_AUTH_';

    /** Headers that this cache answers; the application must build the whole response. */
    private const CONDITIONS = ['If-None-Match', 'If-Modified-Since', 'If-Range'];

    /** Parameters with the URL as web servers spell it. */
    private const SPELLINGS = ['REQUEST_URI', 'UNENCODED_URL', 'X_REWRITE_URL'];

    private const NOBODY = ['REMOTE_ADDR' => '0.0.0.0', 'REMOTE_PORT' => '0'];

    /** Bytes of the longest name that fnmatch() takes. */
    private const LONGEST_COOKIE = 255;

    /**
     * @param list<string> $hosts lower case
     * @param list<string> $ignoredCookies patterns of fnmatch()
     * @return string|null why the response may be one visitor's, or another resource's than the URL's; else null
     */
    public static function refusal(Request $request, array $hosts, array $ignoredCookies): ?string
    {
        $uri = $request->getUri();
        $host = strtolower($uri->getHost()) . ($uri->getPort() === null ? '' : ':' . $uri->getPort());

        return match (true) {
            !\in_array($request->getMethod(), ['GET', 'HEAD'], true), self::hasAny($request, self::METHODS) => 'method',
            !\in_array($host, $hosts, true) => 'host',
            self::hasAny($request, self::CREDENTIALS) || self::isLoggedIn($request) => 'authorization',
            self::hasAny($request, ['if-match', 'if-unmodified-since']) => 'condition',
            $request->hasHeader('Range') => 'range',
            $request->hasHeader('Upgrade') => 'upgrade',
            self::hasBody($request) => 'body',
            self::hasCookie($request, $ignoredCookies) => 'cookie',
            self::forbidsStoring($request) => 'no-store',
            default => null,
        };
    }

    /** True if the application may change something for it (RFC 9110 9.2.1). */
    public static function isChange(Request $request): bool
    {
        return !\in_array($request->getMethod(), ['GET', 'HEAD', 'OPTIONS', 'TRACE'], true)
            || self::hasAny($request, self::METHODS);
    }

    /** The name of its URL, as a key: scheme, host, port, path and query unchanged. */
    public static function key(Request $request): string
    {
        $uri = $request->getUri();

        $place = [strtolower($uri->getScheme()), strtolower($uri->getHost()), (string) $uri->getPort()];

        return hash('sha256', serialize([...$place, $uri->getPath(), $uri->getQuery()]));
    }

    /**
     * The name of everything that may replace its URL, or spell it in other bytes: PSR-7 encodes `"` as %22, the web
     * server's own REQUEST_URI does not.
     */
    public static function standIns(Request $request): string
    {
        $spelled = array_intersect_key($request->getServerParams(), array_flip(self::SPELLINGS));
        ksort($spelled);
        $uri = $request->getUri();
        $query = http_build_query($request->getQueryParams());
        $parts = [$uri->getUserInfo(), $uri->getFragment(), $request->getRequestTarget(), $spelled, $query];
        foreach ($request->getHeaders() as $name => $values) {
            if (preg_match(self::STANDS_IN, self::plain((string) $name)) === 1) {
                $parts[strtolower((string) $name)] = $values;
            }
        }
        ksort($parts);

        return hash('sha256', serialize($parts));
    }

    /** @param list<string> $names of the headers that the response varies by, lower case, sorted */
    public static function variant(Request $request, array $names): string
    {
        $values = [];
        foreach ($names as $name) {
            $values[$name] = $request->hasHeader($name) ? $request->getHeaderLine($name) : null;
        }

        return hash('sha256', serialize($values));
    }

    /**
     * The request without this visitor's conditions and ignored cookies, and with headers as in the name of a variant.
     *
     * @param array<string, \Closure(string): string> $normalize by name of a header
     */
    public static function normalized(Request $request, array $normalize): Request
    {
        $request = self::withoutConditions($request)->withoutHeader('Cookie')->withCookieParams([]);
        foreach ($normalize as $name => $normalized) {
            $value = $normalized($request->getHeaderLine($name));
            $request = $value === '' ? $request->withoutHeader($name) : $request->withHeader($name, $value);
        }

        return $request;
    }

    public static function withoutConditions(Request $request): Request
    {
        foreach (self::CONDITIONS as $name) {
            $request = $request->withoutHeader($name);
        }

        return $request;
    }

    /**
     * The request for which the application builds a response for all visitors: its headers are those in the name of
     * that.
     *
     * @param Request $request that is normalized
     * @param list<string> $names of the headers that the response varies by, lower case
     */
    public static function ofEverybody(
        Request $request,
        array $names,
        ServerParameters $parameters,
        ServerRequestFactoryInterface $requests,
    ): Request {
        $server = self::serverOfEverybody($request->getServerParams(), $request, $names, $parameters);
        $shared = $requests->createServerRequest($request->getMethod(), $request->getUri(), $server)
            ->withProtocolVersion($request->getProtocolVersion())
            ->withQueryParams($request->getQueryParams())
            ->withCookieParams([]);
        foreach (array_keys($shared->getHeaders()) as $name) {
            $shared = $shared->withoutHeader((string) $name);
        }
        foreach ($request->getHeaders() as $name => $values) {
            if (self::isInName((string) $name, $names)) {
                $shared = $shared->withHeader((string) $name, $values);
            }
        }
        foreach ($request->getAttributes() as $name => $value) {
            $shared = $shared->withAttribute((string) $name, $value);
        }
        $target = $request->getRequestTarget();

        return $shared->getRequestTarget() === $target ? $shared : $shared->withRequestTarget($target);
    }

    /**
     * The same for $_SERVER, and what $_ENV and a PSR-7 request have of it. The visitor's address becomes one that
     * nobody has, since applications rely on one.
     *
     * @param array<array-key, mixed> $server
     * @param Request $request that is normalized
     * @param list<string> $names as for ofEverybody()
     * @return array<array-key, mixed>
     */
    public static function serverOfEverybody(
        array $server,
        Request $request,
        array $names,
        ServerParameters $parameters,
    ): array {
        $shared = [];
        foreach ($server as $name => $value) {
            $isHeader = preg_match('~^(?:REDIRECT_)*HTTP_(.+)$~D', (string) $name, $found) === 1;
            $header = $isHeader ? self::plain($found[1]) : null;
            if ($header !== null && $request->hasHeader($header) && self::isInName($header, $names)) {
                $isOne = \in_array($value, $request->getHeader($header), true);
                $shared[$name] = $isOne ? $value : $request->getHeaderLine($header);
            } elseif ($header === null && $parameters->isShared((string) $name, $value)) {
                $shared[$name] = $value;
            }
        }

        return array_replace($shared, array_intersect_key(self::NOBODY, $server));
    }

    /** @param list<string> $names of the headers that the application receives in ofEverybody() */
    public static function hasMore(Request $request, array $names): bool
    {
        foreach (array_keys($request->getHeaders()) as $name) {
            if (!self::isInName((string) $name, $names)) {
                return true;
            }
        }

        return false;
    }

    /** @param list<string> $names as for ofEverybody() */
    private static function isInName(string $header, array $names): bool
    {
        return \in_array(strtolower($header), $names, true) || preg_match(self::STANDS_IN, self::plain($header)) === 1;
    }

    /** @param list<string> $names lower case */
    private static function hasAny(Request $request, array $names): bool
    {
        $headers = array_map(strval(...), array_keys($request->getHeaders()));

        return array_intersect(array_map(self::plain(...), $headers), $names) !== [];
    }

    /** As $_SERVER has it, where X_Forwarded_Host and X-Forwarded-Host are the same. */
    private static function plain(string $header): string
    {
        return strtr(strtolower($header), '_', '-');
    }

    /**
     * True also for a header that only $_SERVER has, as Apache's rewrite rules leave one: REDIRECT_HTTP_AUTHORIZATION.
     */
    private static function isLoggedIn(Request $request): bool
    {
        foreach ($request->getServerParams() as $name => $value) {
            $name = ServerParameters::withoutRedirects((string) $name);
            $isLogin = \in_array($name, self::LOGINS, true)
                || str_starts_with($name, 'HTTP_') && \in_array(self::plain(substr($name, 5)), self::CREDENTIALS, true);
            if (str_starts_with($name, self::LOGIN_OF_PHP) || ($isLogin && $value !== '' && $value !== null)) {
                return true;
            }
        }

        return false;
    }

    private static function hasBody(Request $request): bool
    {
        if ($request->hasHeader('Transfer-Encoding')
            || !\in_array($request->getHeaderLine('Content-Length'), ['', '0'], true)
            || !\in_array($request->getParsedBody(), [null, []], true) || $request->getUploadedFiles() !== []) {
            return true;
        }
        $body = $request->getBody();
        if (!$body->isSeekable() || !$body->isReadable()) {
            return $body->getSize() !== 0;
        }
        $body->rewind();
        $byte = $body->read(1);
        $body->rewind();

        return $byte !== '';
    }

    /** @param list<string> $ignored */
    private static function hasCookie(Request $request, array $ignored): bool
    {
        // Joined by a comma, as PSR-7 does, the lines "_ga=1" and "sid=2" would be one cookie "_ga".
        $cookies = explode(';', implode(';', $request->getHeader('Cookie')));
        foreach ([...$cookies, ...array_map(strval(...), array_keys($request->getCookieParams()))] as $cookie) {
            $name = trim(explode('=', $cookie, 2)[0]);
            $isIgnored = trim($cookie) === '';
            foreach (\strlen($name) > self::LONGEST_COOKIE ? [] : $ignored as $pattern) {
                $isIgnored = $isIgnored || fnmatch($pattern, $name);
            }
            if (!$isIgnored) {
                return true;
            }
        }

        return false;
    }

    private static function forbidsStoring(Request $request): bool
    {
        return preg_match('~(^|[\s,])no-store\b~i', $request->getHeaderLine('Cache-Control')) === 1;
    }
}
