<?php

declare(strict_types=1);

namespace Larder\Http;

use Psr\Http\Message\ServerRequestFactoryInterface;
use Psr\Http\Message\ServerRequestInterface;

/** What of a request decides whether its response may be kept, and under which name. */
final class CacheableRequest
{
    /** By these an application may build its answer, though they are not in the URL: as part of the name they poison nobody else's. Not those that hold the visitor's own address. */
    private const STANDS_IN = '~^(x-(forwarded|original|rewrite)-(?!.*(for|ip)$).*|forwarded|host|x-host|x-url-scheme|front-end-https|origin|x-requested-with|x-pjax|x-inertia|hx-request|turbo-frame)$~D';

    /** A request with one of these is by the method that it names. */
    private const METHODS = ['x-http-method', 'x-http-method-override', 'x-method-override'];

    /** By these a visitor is known. */
    private const CREDENTIALS = ['authorization', 'proxy-authorization', 'x-api-key', 'api-key', 'x-auth-token', 'x-access-token', 'remote-user', 'x-remote-user', 'x-auth-request-user'];

    /** The same, of a login by the web server, which may hide the header from the application. Some send these to everybody, empty. */
    private const LOGINS = ['REMOTE_USER', 'AUTH_TYPE', 'SSL_CLIENT_S_DN'];

    /** These are there only with a login. Its name may be empty: that of "curl -u :token". */
    private const LOGIN_OF_PHP = 'PHP_AUTH_';

    /** These are answered by this cache; the application must make the whole response. */
    private const CONDITIONS = ['If-None-Match', 'If-Modified-Since', 'If-Range'];

    /** The URL as web servers spell it. */
    private const SPELLINGS = ['REQUEST_URI', 'UNENCODED_URL', 'X_REWRITE_URL'];

    private const NOBODY = ['REMOTE_ADDR' => '0.0.0.0', 'REMOTE_PORT' => '0'];

    /** Longer ones are longer than fnmatch() takes. */
    private const LONGEST_COOKIE = 255;

    /**
     * @param list<string> $hosts lower case
     * @param list<string> $ignoredCookies patterns of fnmatch()
     * @return string|null why the response may be of one visitor, or of another resource than its URL says; null if not
     */
    public static function refusal(ServerRequestInterface $request, array $hosts, array $ignoredCookies): ?string
    {
        $uri = $request->getUri();
        $host = strtolower($uri->getHost()) . ($uri->getPort() === null ? '' : ':' . $uri->getPort());

        return match (true) {
            !\in_array($request->getMethod(), ['GET', 'HEAD'], true) || self::hasAny($request, self::METHODS) => 'method',
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

    /** Whether the application may change something for it (RFC 9110 9.2.1). */
    public static function isChange(ServerRequestInterface $request): bool
    {
        return !\in_array($request->getMethod(), ['GET', 'HEAD', 'OPTIONS', 'TRACE'], true) || self::hasAny($request, self::METHODS);
    }

    /** The name of its URL, as a key: scheme, host, port, path and query as they are. */
    public static function key(ServerRequestInterface $request): string
    {
        $uri = $request->getUri();

        return hash('sha256', serialize([strtolower($uri->getScheme()), strtolower($uri->getHost()), (string) $uri->getPort(), $uri->getPath(), $uri->getQuery()]));
    }

    /**
     * The name of all that may stand in for its URL, or say it in other bytes: PSR-7 encodes `"` as %22, the web server's
     * own REQUEST_URI does not.
     */
    public static function standIns(ServerRequestInterface $request): string
    {
        $spelled = array_intersect_key($request->getServerParams(), array_flip(self::SPELLINGS));
        ksort($spelled);
        $parts = [$request->getUri()->getUserInfo(), $request->getUri()->getFragment(), $request->getRequestTarget(), $spelled, http_build_query($request->getQueryParams())];
        foreach ($request->getHeaders() as $name => $values) {
            if (preg_match(self::STANDS_IN, self::plain((string) $name)) === 1) {
                $parts[strtolower((string) $name)] = $values;
            }
        }
        ksort($parts);

        return hash('sha256', serialize($parts));
    }

    /**
     * The name of one variant of it.
     *
     * @param list<string> $names of the headers that the response varies by, lower case, sorted
     */
    public static function variant(ServerRequestInterface $request, array $names): string
    {
        $values = [];
        foreach ($names as $name) {
            $values[$name] = $request->hasHeader($name) ? $request->getHeaderLine($name) : null;
        }

        return hash('sha256', serialize($values));
    }

    /**
     * Without the conditions and the ignored cookies of this visitor, and with headers as they stand in the name of a variant.
     *
     * @param array<string, \Closure(string): string> $normalize by name of a header
     */
    public static function normalized(ServerRequestInterface $request, array $normalize): ServerRequestInterface
    {
        $request = self::withoutConditions($request)->withoutHeader('Cookie')->withCookieParams([]);
        foreach ($normalize as $name => $normalized) {
            $value = $normalized($request->getHeaderLine($name));
            $request = $value === '' ? $request->withoutHeader($name) : $request->withHeader($name, $value);
        }

        return $request;
    }

    public static function withoutConditions(ServerRequestInterface $request): ServerRequestInterface
    {
        foreach (self::CONDITIONS as $name) {
            $request = $request->withoutHeader($name);
        }

        return $request;
    }

    /**
     * As the application gets it, to answer for everybody: with those headers alone that are part of the name of its response.
     *
     * @param ServerRequestInterface $request that is normalized
     * @param list<string> $names of the headers that the response varies by, lower case
     */
    public static function ofEverybody(ServerRequestInterface $request, array $names, ServerParameters $parameters, ServerRequestFactoryInterface $requests): ServerRequestInterface
    {
        $visible = array_filter($request->getHeaders(), static fn(int|string $name): bool => self::isInName((string) $name, $names), \ARRAY_FILTER_USE_KEY);
        $shared = $requests->createServerRequest($request->getMethod(), $request->getUri(), self::serverOfEverybody($request->getServerParams(), $request, $names, $parameters))
            ->withProtocolVersion($request->getProtocolVersion())
            ->withQueryParams($request->getQueryParams())
            ->withCookieParams([]);
        foreach (array_keys($shared->getHeaders()) as $name) {
            $shared = $shared->withoutHeader((string) $name);
        }
        foreach ($visible as $name => $values) {
            $shared = $shared->withHeader((string) $name, $values);
        }
        foreach ($request->getAttributes() as $name => $value) {
            $shared = $shared->withAttribute((string) $name, $value);
        }

        return $shared->getRequestTarget() === $request->getRequestTarget() ? $shared : $shared->withRequestTarget($request->getRequestTarget());
    }

    /**
     * The same of $_SERVER, of what $_ENV and a PSR-7 request have of it. The address of the visitor is one that nobody has, since
     * applications rely on it that there is one.
     *
     * @param array<array-key, mixed> $server
     * @param ServerRequestInterface $request that is normalized
     * @param list<string> $names as for ofEverybody()
     * @return array<array-key, mixed>
     */
    public static function serverOfEverybody(array $server, ServerRequestInterface $request, array $names, ServerParameters $parameters): array
    {
        $shared = [];
        foreach ($server as $name => $value) {
            $header = preg_match('~^(?:REDIRECT_)*HTTP_(.+)$~D', (string) $name, $found) === 1 ? self::plain($found[1]) : null;
            if ($header !== null && $request->hasHeader($header) && self::isInName($header, $names)) {
                $shared[$name] = \in_array($value, $request->getHeader($header), true) ? $value : $request->getHeaderLine($header);
            } elseif ($header === null && $parameters->isShared((string) $name, $value)) {
                $shared[$name] = $value;
            }
        }

        return array_replace($shared, array_intersect_key(self::NOBODY, $server));
    }

    /**
     * Whether it has a header that the application does not get when it answers for everybody.
     *
     * @param list<string> $names as for ofEverybody()
     */
    public static function hasMore(ServerRequestInterface $request, array $names): bool
    {
        return array_filter(array_keys($request->getHeaders()), static fn(int|string $name): bool => !self::isInName((string) $name, $names)) !== [];
    }

    /** @param list<string> $names as for ofEverybody() */
    private static function isInName(string $header, array $names): bool
    {
        return \in_array(strtolower($header), $names, true) || preg_match(self::STANDS_IN, self::plain($header)) === 1;
    }

    /** @param list<string> $names lower case */
    private static function hasAny(ServerRequestInterface $request, array $names): bool
    {
        return array_intersect(array_map(self::plain(...), array_map(strval(...), array_keys($request->getHeaders()))), $names) !== [];
    }

    /** In $_SERVER, X_Forwarded_Host and X-Forwarded-Host are the same. */
    private static function plain(string $header): string
    {
        return strtr(strtolower($header), '_', '-');
    }

    /** Also by a header that is there alone, as the rewrite rules of Apache leave one: REDIRECT_HTTP_AUTHORIZATION. */
    private static function isLoggedIn(ServerRequestInterface $request): bool
    {
        foreach ($request->getServerParams() as $name => $value) {
            $name = ServerParameters::withoutRedirects((string) $name);
            $isLogin = \in_array($name, self::LOGINS, true) || (str_starts_with($name, 'HTTP_') && \in_array(self::plain(substr($name, 5)), self::CREDENTIALS, true));
            if (str_starts_with($name, self::LOGIN_OF_PHP) || ($isLogin && $value !== '' && $value !== null)) {
                return true;
            }
        }

        return false;
    }

    private static function hasBody(ServerRequestInterface $request): bool
    {
        if ($request->hasHeader('Transfer-Encoding') || !\in_array($request->getHeaderLine('Content-Length'), ['', '0'], true)
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
    private static function hasCookie(ServerRequestInterface $request, array $ignored): bool
    {
        // One line may not hide behind another: joined, "_ga=1" and "sid=2" are one cookie "_ga".
        foreach ([...explode(';', implode(';', $request->getHeader('Cookie'))), ...array_map(strval(...), array_keys($request->getCookieParams()))] as $cookie) {
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

    private static function forbidsStoring(ServerRequestInterface $request): bool
    {
        return preg_match('~(^|[\s,])no-store\b~i', $request->getHeaderLine('Cache-Control')) === 1;
    }
}
