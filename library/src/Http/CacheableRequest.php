<?php

declare(strict_types=1);

namespace Larder\Http;

use Psr\Http\Message\ServerRequestInterface;

/** What of a request decides whether its response may be kept, and under which name. */
final class CacheableRequest
{
    /** By these an application may build its answer, though they are not in the URL: as part of the name they poison nobody else's. */
    private const KEYED = ['X-Forwarded-Host', 'X-Forwarded-Proto', 'X-Forwarded-Port', 'X-Forwarded-Prefix', 'X-Forwarded-Scheme', 'X-Forwarded-Server', 'X-Host', 'Forwarded', 'X-Original-Url', 'X-Rewrite-Url', 'X-Http-Method', 'X-Http-Method-Override', 'X-Method-Override', 'Front-End-Https'];

    /** These are answered by this cache; the application must make the whole response. */
    private const CONDITIONS = ['If-None-Match', 'If-Modified-Since', 'If-Match', 'If-Unmodified-Since', 'If-Range'];

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
            !\in_array($request->getMethod(), ['GET', 'HEAD'], true) => 'method',
            !\in_array($host, $hosts, true) => 'host',
            $request->hasHeader('Authorization') || $request->hasHeader('Proxy-Authorization') => 'authorization',
            $request->hasHeader('Range') => 'range',
            $request->hasHeader('Upgrade') => 'upgrade',
            self::hasBody($request) => 'body',
            self::hasCookie($request, $ignoredCookies) => 'cookie',
            self::forbidsStoring($request) => 'no-store',
            default => null,
        };
    }

    /** The name of its URL, as a key: scheme, host, port, path and query as they are, and what may stand in for them. */
    public static function key(ServerRequestInterface $request): string
    {
        $uri = $request->getUri();
        $parts = [strtolower($uri->getScheme()), strtolower($uri->getHost()), (string) $uri->getPort(), $uri->getPath(), $uri->getQuery(), $request->getRequestTarget()];
        foreach (self::KEYED as $name) {
            $parts[] = $request->hasHeader($name) ? $request->getHeaderLine($name) : null;
        }

        return hash('sha256', serialize($parts));
    }

    /**
     * The name of one variant of it.
     *
     * @param list<string> $names of the headers that the response varies by, lower case, sorted
     * @param array<string, \Closure(string): string> $normalize by lower-case name
     */
    public static function variant(ServerRequestInterface $request, array $names, array $normalize): string
    {
        $values = [];
        foreach ($names as $name) {
            $line = $request->hasHeader($name) ? $request->getHeaderLine($name) : null;
            $values[$name] = isset($normalize[$name]) ? $normalize[$name]((string) $line) : $line;
        }

        return hash('sha256', serialize($values));
    }

    public static function withoutConditions(ServerRequestInterface $request): ServerRequestInterface
    {
        foreach (self::CONDITIONS as $name) {
            $request = $request->withoutHeader($name);
        }

        return $request;
    }

    private static function hasBody(ServerRequestInterface $request): bool
    {
        return $request->hasHeader('Transfer-Encoding') || ((int) $request->getHeaderLine('Content-Length')) !== 0 || ($request->getBody()->getSize() ?? 0) !== 0;
    }

    /** @param list<string> $ignored */
    private static function hasCookie(ServerRequestInterface $request, array $ignored): bool
    {
        $names = array_map(static fn(string $cookie): string => trim(explode('=', $cookie, 2)[0]), explode(';', $request->getHeaderLine('Cookie')));
        foreach ([...$names, ...array_map(strval(...), array_keys($request->getCookieParams()))] as $name) {
            $isIgnored = $name === '';
            foreach ($ignored as $pattern) {
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
