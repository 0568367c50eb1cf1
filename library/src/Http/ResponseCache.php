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
 * Only what is surely the same for everybody is kept: GET, of a host that is named, without cookies, Authorization or a
 * body; and only if the response asks for it (Cache-Control: s-maxage or max-age) and has no Set-Cookie, private, no-store,
 * no-cache or "Vary: *". A HEAD is answered from a stored GET. One process makes a missing response, the others wait for
 * it. The header Cache-Status (RFC 9211) says what was done. The request has the attribute Computation::class: by its
 * tag() the application tags the response, before it reads the data, for CacheInterface::invalidateTags(). A request by
 * another method than GET and HEAD that succeeds makes what is kept of its URL a miss.
 *
 * Processes and threads: as the cache. Errors: those of the application, and none of its own; a store that fails is a miss.
 */
final class ResponseCache implements MiddlewareInterface
{
    /** Seconds in which the next request for a URL that may not be kept does not wait for the one before it. */
    private const PASS = 60;
    /** Seconds for which the variants of a URL are known. */
    private const KNOWN = 86_400;
    private const METHODS_THAT_CHANGE_NOTHING = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
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
     *        with any other cookie is never kept, nor answered from here
     * @param array<string, \Closure(string): string> $normalize by name of a request header that responses vary by: gives
     *        the value that it stands for, to have fewer variants
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
        $url = KnownUrl::of($id, $this->cache->get('response:' . $id));
        $name = $this->name($url, $request);
        $stored = StoredResponse::of($this->cache->get($name));
        $now = $this->now();
        if ($stored?->isFresh($now) === true) {
            return $this->found($request, $stored, 'hit');
        }
        if ($request->getMethod() === 'HEAD') {
            return self::said($handler->handle($request), 'fwd=method');
        }

        return $this->remembered($request, $handler, $url, $name, $url->isPassed($now) ? \INF : 1.0);
    }

    /**
     * One process makes it; the others wait, or take the one before.
     *
     * @param float $beta INF to make it now, without waiting for others: they would wait in vain for what may not be kept
     */
    private function remembered(ServerRequestInterface $request, RequestHandlerInterface $handler, KnownUrl $url, string $name, float $beta): ResponseInterface
    {
        $made = null;
        $result = $this->cache->remember($name, $this->maxStale, function (Computation $computation) use ($request, $handler, $url, $name, &$made): array {
            $made = $handler->handle(CacheableRequest::withoutConditions($request)->withAttribute(Computation::class, $computation));
            $taken = $this->taken($made);
            if ($taken === null) {
                $computation->doNotStore();
                $this->know($url->passed($this->now() + self::PASS));

                return [];
            }
            [$stored, $made] = $taken;
            $known = $url->with($this->varies($made));
            $proper = $this->name($known, $request);
            $ttl = max(1, $stored->ttl($this->now()));
            $computation->expireAfter($ttl);
            if ($proper !== $name) { // it varies by more than was known: those who wait for this name must not take it
                $computation->doNotStore();
                $versions = $computation->tagVersions();
                if ($versions === null || !$this->cache->set($proper, $stored->stored(), $ttl, $versions)) {
                    return [];
                }
            }
            $this->know($known->including($proper, $this->maxVariants, $this->forget(...)));

            return $stored->stored();
        }, stale: $this->maxStale, beta: $beta, jitter: 0.0);
        if ($made instanceof ResponseInterface) {
            return $this->answer($request, $made, 'fwd=' . ($beta === \INF ? 'miss' : 'uri-miss'));
        }
        $stored = StoredResponse::of($result);
        if ($stored === null || !$stored->isUsable($this->now())) { // it is kept for longer than it may be served
            return $this->remembered($request, $handler, $url, $name, \INF);
        }

        return $this->found($request, $stored, $stored->isFresh($this->now()) ? 'hit' : 'hit; fwd=stale');
    }

    private function passChange(ServerRequestInterface $request, RequestHandlerInterface $handler): ResponseInterface
    {
        $response = $handler->handle($request);
        if (!\in_array($request->getMethod(), self::METHODS_THAT_CHANGE_NOTHING, true) && $response->getStatusCode() < 400) {
            $this->cache->delete($this->key($request));
        }

        return self::said($response, 'fwd=bypass; detail=method');
    }

    /** @return array{StoredResponse, ResponseInterface}|null what to keep, and the response with its body again; null if it may not be kept */
    private function taken(ResponseInterface $response): ?array
    {
        $control = CacheControl::of($response);
        $ttl = $this->ttl($control, $response);
        $size = $response->getBody()->getSize();
        if ($ttl <= 0 || $control->isRefused() || $size === null || $size > $this->maxBody || !\in_array($response->getStatusCode(), self::STATUSES, true)
            || $response->hasHeader('Set-Cookie') || $response->hasHeader('Set-Cookie2') || \in_array('*', $this->varies($response), true)
            || $response->hasHeader('Content-Range') || !$response->getBody()->isSeekable()) {
            return null;
        }
        $body = (string) $response->getBody();
        $response->getBody()->rewind();
        if (!$response->hasHeader('ETag')) {
            $response = $response->withHeader('ETag', \sprintf('W/"%s"', hash('xxh128', $body)));
        }
        if (!$response->hasHeader('Date')) {
            $response = $response->withHeader('Date', gmdate('D, d M Y H:i:s \G\M\T', (int) $this->now()));
        }

        return [StoredResponse::take($response, $body, $ttl, min($control->stale(), $this->maxStale), $this->now()), $response];
    }

    /** @return int seconds that are left; 0 if the response does not ask to be kept */
    private function ttl(CacheControl $control, ResponseInterface $response): int
    {
        $ttl = $control->ttl();
        if ($ttl === null && $response->hasHeader('Expires')) {
            $until = strtotime($response->getHeaderLine('Expires'));
            $from = $response->hasHeader('Date') ? strtotime($response->getHeaderLine('Date')) : (int) $this->now();
            $ttl = $until === false || $from === false ? 0 : $until - $from;
        }

        return max(0, ($ttl ?? 0) - StoredResponse::age($response));
    }

    /** @return list<string> lower case */
    private function varies(ResponseInterface $response): array
    {
        return array_values(array_filter(array_map(static fn(string $name): string => strtolower(trim($name)), explode(',', $response->getHeaderLine('Vary'))), static fn(string $name): bool => $name !== ''));
    }

    private function key(ServerRequestInterface $request): string
    {
        return 'url:' . CacheableRequest::key($request);
    }

    private static function newId(): mixed
    {
        return bin2hex(random_bytes(16));
    }

    private function name(KnownUrl $url, ServerRequestInterface $request): string
    {
        return 'response:' . $url->id . ':' . CacheableRequest::variant($request, $url->names, $this->normalize);
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
        $since = strtotime($request->getHeaderLine('If-Modified-Since'));
        $changed = strtotime($response->getHeaderLine('Last-Modified'));

        return $since !== false && $changed !== false && $changed <= $since;
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
