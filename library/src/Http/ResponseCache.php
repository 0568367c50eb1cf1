<?php

declare(strict_types=1);

namespace Larder\Http;

use Larder\CacheInterface;
use Larder\Remember\Computation;
use Psr\Clock\ClockInterface;
use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface;

/**
 * A PSR-15 middleware that keeps whole responses, for all visitors. It goes before those that start sessions and log in.
 *
 * Only what is surely the same for everybody is kept: GET, of a host that is named, without cookies, a login or a body;
 * and only if the response asks for it (Cache-Control: s-maxage or max-age, or Expires) and has no Set-Cookie, private,
 * no-store, no-cache or "Vary: *", nor PHP a session or such a header. The application gets the request without what is of
 * this visitor alone: its conditions and ignored cookies, and headers as $normalize makes them. A HEAD is answered from a
 * stored GET. One process makes a missing response, the others wait for it. The header Cache-Status (RFC 9211) says what
 * was done. The request has the attribute Computation::class: by its tag() the application tags the response, before it
 * reads the data, for CacheInterface::invalidateTags(). A request by another method than GET and HEAD that succeeds makes
 * what is kept of its URL a miss.
 *
 * Processes and threads: as the cache. Errors: those of the application, and none of its own; a store that fails is a miss.
 */
final class ResponseCache implements MiddlewareInterface
{
    /** Seconds in which the next request for a URL that may not be kept does not wait for the one before it. */
    private const PASS = 60;
    /** Seconds for which the variants of a URL are known. */
    private const KNOWN = 86_400;
    /** By default, of responses that do not depend on what was asked beyond the URL (RFC 9110 15.1). */
    private const STATUSES = [200, 203, 300, 301, 308, 404, 410];

    /** @var list<string> */
    private readonly array $hosts;

    /** @var array<string, \Closure(string): string> */
    private readonly array $normalize;

    /**
     * @param list<string> $hosts "example.org", "example.org:8080"; requests for others are never kept, since anybody can
     *        send any Host
     * @param list<string> $ignoredCookies patterns (fnmatch) of cookies that change nothing in a response: "_ga*". A request
     *        with any other cookie is never kept, nor answered from here. The application does not get them when it makes
     *        a response that may be kept
     * @param array<string, \Closure(string): string> $normalize by name of a request header that responses vary by: gives
     *        the value that it stands for, to have fewer variants; the application gets that value, and no header for ''
     * @param int $maxVariants of one URL; the oldest goes
     * @param int $maxBody bytes; longer responses, and those of unknown length, pass through
     * @param int $maxStale seconds; a longer stale-while-revalidate counts as this
     */
    public function __construct(
        private readonly CacheInterface $cache,
        private readonly ResponseFactoryInterface $responses,
        private readonly StreamFactoryInterface $streams,
        array $hosts,
        private readonly array $ignoredCookies = [],
        array $normalize = [],
        private readonly int $maxVariants = 16,
        private readonly int $maxBody = 1 << 20,
        private readonly int $maxStale = 600,
        private readonly ?ClockInterface $clock = null,
    ) {
        $this->hosts = array_map(strtolower(...), $hosts);
        $this->normalize = array_change_key_case($normalize);
    }

    public function process(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $refusal = CacheableRequest::refusal($request, $this->hosts, $this->ignoredCookies);
        if ($refusal === 'method') {
            return $this->passChange($request, $handler);
        }
        if ($refusal !== null) {
            return self::said($handler->handle($request), "fwd=bypass; detail=$refusal");
        }
        $id = $this->cache->remember($this->key($request), self::KNOWN, self::newId(...), beta: 0.0, jitter: 0.0);
        if (!\is_string($id)) { // something else has this key
            return self::said($handler->handle($request), 'fwd=bypass; detail=key');
        }
        $shared = CacheableRequest::ofEverybody($request, $this->normalize);
        $id = hash('sha256', $id . CacheableRequest::standIns($request));
        $url = $this->known($id);
        $name = self::name($url, $shared);
        $stored = StoredResponse::of($this->cache->get($name));
        $now = $this->now();
        if ($stored?->isFresh($now) === true) {
            return $this->found($request, $stored, 'hit');
        }
        if ($request->getMethod() === 'HEAD') {
            return self::said($handler->handle($request), 'fwd=method');
        }

        return $this->remembered($request, $shared, $handler, $url, $name, $url->isPassed($now) ? \INF : 1.0);
    }

    /**
     * One process makes it; the others wait, or take the one before.
     *
     * @param ServerRequestInterface $shared the request as the application gets it
     * @param float $beta INF to make it now, without waiting for others: they would wait in vain for what may not be kept
     */
    private function remembered(ServerRequestInterface $request, ServerRequestInterface $shared, RequestHandlerInterface $handler, KnownUrl $url, string $name, float $beta): ResponseInterface
    {
        $made = null;
        $result = $this->cache->remember($name, $this->maxStale, function (Computation $computation) use ($shared, $handler, $url, $name, &$made): array {
            $found = $this->madeMeanwhile($url->id, $name, $shared);
            if ($found !== null) {
                $computation->doNotStore();

                return $found->stored();
            }
            $made = $handler->handle($shared->withAttribute(Computation::class, $computation));
            $taken = $this->taken($made);
            if ($taken === null) {
                $computation->doNotStore();
                if ($made->getStatusCode() < 500) {
                    $this->cache->delete($name); // the one before must not come back as stale
                }
                $this->know($this->known($url->id)->passed($this->now() + self::PASS));

                return [];
            }
            [$stored, $made] = $taken;
            $known = $this->known($url->id)->with(self::varies($made) ?? []);
            $proper = self::name($known, $shared);
            $ttl = max(1, $stored->ttl($this->now()));
            $computation->expireAfter($ttl);
            if ($proper !== $name) { // it varies by more than was known: those who wait for this name must not take it
                $computation->doNotStore();
                $versions = $computation->tagVersions();
                if ($versions === null || !$this->cache->set($proper, $stored->stored(), $ttl, $versions)) {
                    return [];
                }
            }
            $this->know($known->including($proper, $stored->stale(), $this->maxVariants, $this->forget(...)));

            return $stored->stored();
        }, stale: $url->stale($name) ?? $this->maxStale, beta: $beta, jitter: 0.0);
        if ($made instanceof ResponseInterface) {
            return $this->answer($request, $made, 'fwd=' . ($beta === \INF ? 'miss' : 'uri-miss'));
        }
        $stored = StoredResponse::of($result);
        if ($stored === null || !$stored->isUsable($this->now())) { // it is kept for longer than it may be served
            return $this->remembered($request, $shared, $handler, $url, $name, \INF);
        }

        return $this->found($request, $stored, $stored->isFresh($this->now()) ? 'hit' : 'hit; fwd=stale');
    }

    /** Who waited for what varies by more than was known then finds it by another name. */
    private function madeMeanwhile(string $id, string $name, ServerRequestInterface $shared): ?StoredResponse
    {
        $proper = self::name($this->known($id), $shared);
        $found = $proper === $name ? null : StoredResponse::of($this->cache->get($proper));

        return $found?->isFresh($this->now()) === true ? $found : null;
    }

    private function passChange(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $response = $handler->handle($request);
        if (CacheableRequest::isChange($request) && $response->getStatusCode() < 400) {
            $this->cache->delete($this->key($request));
        }

        return self::said($response, 'fwd=bypass; detail=method');
    }

    /** @return array{StoredResponse, ResponseInterface}|null what to keep, and the response with its body again; null if it may not be kept */
    private function taken(ResponseInterface $response): ?array
    {
        $control = CacheControl::of($response);
        $now = $this->now();
        $ttl = self::ttl($control, $response, $now);
        if ($ttl <= 0 || $control->isRefused() || !\in_array($response->getStatusCode(), self::STATUSES, true)
            || $response->hasHeader('Set-Cookie') || $response->hasHeader('Set-Cookie2') || $response->hasHeader('Content-Range')
            || self::varies($response) === null || self::isSentBesides()) {
            return null;
        }
        $body = $this->body($response);
        if ($body === null) {
            return null;
        }
        if (!$response->hasHeader('ETag')) {
            $response = $response->withHeader('ETag', \sprintf('W/"%s"', hash('xxh128', $body)));
        }
        if (!$response->hasHeader('Date')) {
            $response = $response->withHeader('Date', HttpDate::format($now));
        }

        return [StoredResponse::take($response, $body, $ttl, min($control->stale(), $this->maxStale), $now), $response];
    }

    /** @return string|null null if it is too long or of unknown length, not the whole that the response announces, or cannot be read twice */
    private function body(ResponseInterface $response): ?string
    {
        $stream = $response->getBody();
        $size = $stream->getSize();
        if ($size === null || $size > $this->maxBody || !$stream->isSeekable()) {
            return null;
        }
        $stream->rewind();
        $body = '';
        while (!$stream->eof() && \strlen($body) <= $this->maxBody) { // whatever it says of its size
            $body .= $stream->read(8192);
        }
        $stream->rewind();
        $isWhole = \in_array($response->getHeaderLine('Content-Length'), ['', (string) \strlen($body)], true);

        return $isWhole && \strlen($body) <= $this->maxBody ? $body : null;
    }

    /** Whether the application began a session, or sent a cookie or a refusal, past PSR-7: by PHP's own functions. */
    private static function isSentBesides(): bool
    {
        return (\function_exists('session_status') && session_status() === \PHP_SESSION_ACTIVE)
            || preg_grep('~^(Set-Cookie\s*:|Cache-Control\s*:.*\b(private|no-store|no-cache)\b)~i', headers_list()) !== [];
    }

    /** @return int seconds that are left; 0 if the response does not ask to be kept */
    private static function ttl(CacheControl $control, ResponseInterface $response, float $now): int
    {
        $ttl = $control->ttl();
        if ($ttl === null && $response->hasHeader('Expires')) {
            $until = HttpDate::parse($response->getHeaderLine('Expires'));
            $ttl = $until === null ? 0 : $until - (HttpDate::parse($response->getHeaderLine('Date')) ?? (int) $now);
        }

        return max(0, ($ttl ?? 0) - StoredResponse::age($response, $now));
    }

    /** @return list<string>|null lower case; null if by everything, or by what is no name */
    private static function varies(ResponseInterface $response): ?array
    {
        $names = array_filter(array_map(trim(...), explode(',', strtolower($response->getHeaderLine('Vary')))), static fn(string $name): bool => $name !== '');

        return preg_grep('~^[\w!#$%&\'+.^`|-]+$~D', $names, \PREG_GREP_INVERT) === [] ? array_values($names) : null;
    }

    private function key(ServerRequestInterface $request): string
    {
        return 'url:' . CacheableRequest::key($request);
    }

    private static function newId(): mixed
    {
        return bin2hex(random_bytes(16));
    }

    private static function name(KnownUrl $url, ServerRequestInterface $shared): string
    {
        return 'response:' . $url->id . ':' . CacheableRequest::variant($shared, $url->names);
    }

    private function known(string $id): KnownUrl
    {
        return KnownUrl::of($id, $this->cache->get('response:' . $id));
    }

    private function know(KnownUrl $url): void
    {
        $this->cache->set('response:' . $url->id, $url->stored(), self::KNOWN);
    }

    private function forget(string $name): void
    {
        $this->cache->delete($name);
    }

    private function found(ServerRequestInterface $request, StoredResponse $stored, string $status): ResponseInterface
    {
        $now = $this->now();

        return $this->answer($request, $stored->response($this->responses, $this->streams, $now), \sprintf('%s; ttl=%d', $status, $stored->ttl($now)));
    }

    /** The response, or 304 if the client has it. */
    private function answer(ServerRequestInterface $request, ResponseInterface $response, string $status): ResponseInterface
    {
        $response = self::said($response, $status);
        if ($response->getStatusCode() === 200 && self::isUnchanged($request, $response)) {
            $response = $response->withStatus(304)->withoutHeader('Content-Length')->withoutHeader('Content-Type')->withBody($this->streams->createStream(''));
        }

        return $request->getMethod() === 'HEAD' ? $response->withBody($this->streams->createStream('')) : $response;
    }

    /** RFC 9110 13.2.2: If-Modified-Since only without If-None-Match. */
    private static function isUnchanged(ServerRequestInterface $request, ResponseInterface $response): bool
    {
        if ($request->hasHeader('If-None-Match')) {
            $tag = preg_replace('~^W/~', '', $response->getHeaderLine('ETag'));
            preg_match_all('~\*|(?:W/)?("[^"]*")~', $request->getHeaderLine('If-None-Match'), $asked);

            return \in_array('*', $asked[0], true) || ($tag !== '' && \in_array($tag, $asked[1], true));
        }
        $since = HttpDate::parse($request->getHeaderLine('If-Modified-Since'));
        $changed = HttpDate::parse($response->getHeaderLine('Last-Modified'));

        return $since !== null && $changed !== null && $changed <= $since;
    }

    private static function said(ResponseInterface $response, string $what): ResponseInterface
    {
        return $response->withAddedHeader('Cache-Status', 'Larder; ' . $what);
    }

    private function now(): float
    {
        return $this->clock === null ? microtime(true) : (float) $this->clock->now()->format('U.u');
    }
}
