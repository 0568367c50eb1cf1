<?php

declare(strict_types=1);

namespace Larder\Http;

use Larder\CacheInterface;
use Larder\Contract\Capability;
use Larder\Exception\StoreFailed;
use Larder\Internal\Http\CacheableRequest;
use Larder\Internal\Http\CacheControl;
use Larder\Internal\Http\HttpDate;
use Larder\Internal\Http\KnownUrl;
use Larder\Internal\Http\NativeHeaders;
use Larder\Internal\Http\ServerParameters;
use Larder\Internal\Http\StoredResponse;
use Larder\Internal\Http\VisitorGlobals;
use Larder\Internal\Http\WatchedHandler;
use Larder\Internal\Process\Functions;
use Larder\Remember\Computation;
use Psr\Clock\ClockInterface;
use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\ResponseInterface as Response;
use Psr\Http\Message\ServerRequestFactoryInterface;
use Psr\Http\Message\ServerRequestInterface as Request;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Server\MiddlewareInterface;
use Psr\Http\Server\RequestHandlerInterface as Handler;

/**
 * A PSR-15 middleware that stores whole responses, for all visitors. It goes before those that start sessions and log
 * in.
 *
 * Only responses that are surely equal for all visitors are stored: of GET, to a named host, without cookies, a login
 * or a body; and only if the response asks for it (Cache-Control: s-maxage or max-age, or Expires) and has no
 * Set-Cookie, private, no-store, no-cache or "Vary: *", nor PHP a session or such a header. While the application
 * builds a response to store, it receives no headers but those by which the responses of the URL vary, and some that
 * may replace the URL. So the first response of a URL, to the whole request, is not stored: it shows whether the next
 * one may be, and by what it varies.
 *
 * A stored GET answers a HEAD. One process builds a missing response, the others wait for it. The header Cache-Status
 * (RFC 9211) reports what was done. The request for a response that may be stored has the attribute Computation::class:
 * by its tag() the application tags the response, before it reads the data, for CacheInterface::invalidateTags(). A
 * request by another method than GET and HEAD that succeeds makes the stored responses of its URL misses.
 *
 * Processes and threads: as the cache. Errors: those of the application only; a store that fails is a miss.
 */
final class ResponseCache implements MiddlewareInterface
{
    /**
     * Seconds in which the application answers all requests for a URL whose response may not be stored; after a server
     * error.
     */
    private const PASS = 60;
    private const PASS_ERROR = 1;
    /** Seconds for which the variants of a URL are known, and no response is stored for longer. */
    private const KNOWN = 86_400;
    /**
     * Number of tries to change what is known of a URL. If other processes change it each time, the response is not
     * stored.
     */
    private const TRIES = 50;
    /** Statuses that depend on nothing but the URL, by default (RFC 9110 15.1). */
    private const STATUSES = [200, 203, 300, 301, 308, 404, 410];

    /** @var list<string> */
    private readonly array $hosts;

    /** @var array<string, \Closure(string): string> */
    private readonly array $normalize;

    private readonly ServerParameters $parameters;

    /**
     * @param ServerRequestFactoryInterface $requests builds the request without parts of a visitor
     * @param list<string> $hosts "example.org", "example.org:8080"; responses of others are never stored, since anybody
     *         can send any Host
     * @param list<string> $ignoredCookies patterns (fnmatch) of cookies that change nothing in a response: "_ga*". A
     *         request with any other cookie passes through
     * @param array<string, \Closure(string): string> $normalize by name of a request header that responses vary by:
     *         returns the value to use for it, for fewer variants. For a response to store, the application receives
     *         that value, and no header for ''
     * @param int $maxVariants of one URL; the oldest goes
     * @param int $maxBody bytes; longer responses, and those of unknown length, pass through
     * @param int $maxStale seconds; a longer stale-while-revalidate counts as this
     * @param list<string> $serverParams patterns (fnmatch) of parameters of the web server that are equal for all
     *         visitors: "APP_*". While the application builds a response to store, it receives these and the parameters
     *         of server and URL, and no others
     */
    public function __construct(
        private readonly CacheInterface $cache,
        private readonly ResponseFactoryInterface $responses,
        private readonly StreamFactoryInterface $streams,
        private readonly ServerRequestFactoryInterface $requests,
        array $hosts,
        private readonly array $ignoredCookies = [],
        array $normalize = [],
        private readonly int $maxVariants = 16,
        private readonly int $maxBody = 1 << 20,
        private readonly int $maxStale = 600,
        private readonly ?ClockInterface $clock = null,
        array $serverParams = [],
    ) {
        $this->parameters = new ServerParameters($serverParams);
        $this->hosts = array_map(strtolower(...), $hosts);
        $this->normalize = array_change_key_case($normalize);
    }

    public function process(Request $request, Handler $handler): Response
    {
        $watched = new WatchedHandler($handler);

        try {
            return $this->processed($request, $watched);
        } catch (StoreFailed $failure) {
            if ($failure === $watched->exception) {
                throw $failure; // the application's own
            }

            return self::withCacheStatus($watched->response ?? $handler->handle($request), 'fwd=bypass; detail=store');
        }
    }

    /** @throws StoreFailed by a cache with on_failure=throw */
    private function processed(Request $request, Handler $handler): Response
    {
        $refusal = CacheableRequest::refusal($request, $this->hosts, $this->ignoredCookies);
        if ($refusal === 'method') {
            return $this->passChange($request, $handler);
        }
        if ($refusal !== null) {
            return self::withCacheStatus($handler->handle($request), "fwd=bypass; detail=$refusal");
        }
        $id = $this->cache->remember(self::key($request), self::KNOWN, self::newId(...), beta: 0.0, jitter: 0.0);
        if (!\is_string($id)) { // something else has this key
            return self::withCacheStatus($handler->handle($request), 'fwd=bypass; detail=key');
        }
        $id = hash('sha256', $id . CacheableRequest::standIns($request));
        $normalized = CacheableRequest::normalized($request, $this->normalize);
        $url = $this->known($id);
        $now = $this->now();
        $isUnknown = !$url->isPassed($now) && !$url->isLearned && CacheableRequest::hasMore($normalized, $url->names);
        if ($isUnknown && $request->getMethod() === 'GET') {
            $response = $this->learnt($id, $request, $handler);
            if ($response !== null) {
                return $this->answer($request, $response, 'fwd=uri-miss');
            }
            $url = $this->known($id);
            $isUnknown = !$url->isLearned;
        }
        $name = self::name($url, $normalized);
        $stored = StoredResponse::of($this->cache->get($name));
        if ($stored?->isFresh($now) === true) {
            return $this->found($request, $stored, 'hit');
        }
        if ($request->getMethod() === 'HEAD') {
            return self::withCacheStatus($handler->handle($request), 'fwd=method');
        }
        if ($isUnknown || $url->isPassed($now)) {
            return self::withCacheStatus($handler->handle($request), 'fwd=bypass; detail=response');
        }

        return $this->remembered($request, $normalized, $handler, $url, $name, 1.0);
    }

    /**
     * The response to the whole request of a visitor, which is not stored. It shows which ones may be.
     *
     * @return Response|null null if another process has learnt it in between
     */
    private function learnt(string $id, Request $request, Handler $handler): ?Response
    {
        $made = null;
        $learn = function (Computation $computation) use ($id, $request, $handler, &$made): bool {
            $native = NativeHeaders::watch();

            try {
                $made = $handler->handle(CacheableRequest::withoutConditions($request));
            } finally {
                $native->end();
            }
            $taken = $native->areClean() === true ? $this->taken($made) : null;
            $made = $taken[1] ?? $made;
            if ($taken !== null) {
                $names = self::varies($made) ?? [];
                $this->change($id, static fn(KnownUrl $url): KnownUrl => $url->with($names));
            } else {
                $this->pass($id, $made);
                $computation->expireAfter(self::secondsToPass($made));
            }

            return true;
        };
        $this->cache->remember(self::learntName($id), self::PASS, $learn, beta: 0.0, jitter: 0.0);

        return $made;
    }

    /**
     * One process builds it; the others wait, or take the one before.
     *
     * @param Request $normalized the request, of which the application receives what is part of the name
     * @param float $beta INF to build it now, without waiting for others
     */
    private function remembered(
        Request $request,
        Request $normalized,
        Handler $handler,
        KnownUrl $url,
        string $name,
        float $beta,
    ): Response {
        $made = null;
        $make = function (Computation $computation) use ($normalized, $handler, $url, $name, &$made): array {
            $found = $this->madeMeanwhile($url->id, $name, $normalized);
            if ($found !== null) {
                $computation->doNotStore();

                return $found->stored();
            }
            $asked = $normalized->withAttribute(Computation::class, $computation);
            [$made, $names, $isClean] = $this->made($asked, $handler, $url->names);
            $taken = $isClean === true ? $this->taken($made) : null;
            if ($taken === null) {
                $computation->doNotStore();
                if ($made->getStatusCode() < 500) {
                    $this->cache->delete($name); // the one before must not come back as stale
                }
                if ($isClean !== null) {
                    $this->pass($url->id, $made);
                    $this->cache->delete(self::learntName($url->id)); // that process's result is out of date
                }

                return [];
            }
            [$stored, $made] = $taken;
            $known = $this->known($url->id)->with($names);
            $unseen = array_diff($known->names, $names); // another process has just learnt of them
            if (array_filter($unseen, $normalized->hasHeader(...)) !== []) {
                $computation->doNotStore();

                return [];
            }
            $proper = self::name($known, $normalized);
            $ttl = max(1, $stored->ttl($this->now()));
            $computation->expireAfter($ttl);
            if ($proper !== $name) { // it varies by more than was known: waiting processes must not take it
                $computation->doNotStore();
                $versions = $computation->tagVersions();
                if ($versions === null || !$this->cache->set($proper, $stored->stored(), $ttl, $versions)) {
                    return [];
                }
            }
            if (!$this->include($url->id, $names, $proper, $stored->stale())) {
                $computation->doNotStore();
                $this->cache->delete($proper);
            }

            return $stored->stored();
        };
        $stale = $url->stale($name) ?? $this->maxStale;
        $result = $this->cache->remember($name, $this->maxStale, $make, stale: $stale, beta: $beta, jitter: 0.0);
        if ($made instanceof Response) {
            return $this->answer($request, $made, 'fwd=' . ($beta === \INF ? 'miss' : 'uri-miss'));
        }
        $stored = StoredResponse::of($result);
        if ($stored === null || !$stored->isUsable($this->now())) { // it is stored for longer than it may be served
            return $this->remembered($request, $normalized, $handler, $url, $name, \INF);
        }

        return $this->found($request, $stored, 'hit');
    }

    /**
     * Built from the parts in its name alone; again if it varies by a header that the application did not receive.
     *
     * @param list<string> $names of the headers that are part of the name
     * @return array{Response, list<string>, bool|null} with the names by which it varies too, and true if it
     *         is all that was sent; null if that cannot be known
     */
    private function made(Request $normalized, Handler $handler, array $names): array
    {
        do {
            $globals = VisitorGlobals::hide($normalized, $names, $this->parameters);
            $native = NativeHeaders::watch();

            try {
                $shared = CacheableRequest::ofEverybody($normalized, $names, $this->parameters, $this->requests);
                $made = $handler->handle($shared);
            } finally {
                $native->end();
                $globals->restore();
            }
            $more = array_diff(self::varies($made) ?? [], $names);
            array_push($names, ...$more);
        } while ($native->areClean() === true && array_filter($more, $normalized->hasHeader(...)) !== []);

        return [$made, $names, $native->areClean()];
    }

    /** A process that waited for a response that varies by more than was known finds it by another name. */
    private function madeMeanwhile(string $id, string $name, Request $normalized): ?StoredResponse
    {
        $proper = self::name($this->known($id), $normalized);
        $found = $proper === $name ? null : StoredResponse::of($this->cache->get($proper));

        return $found?->isFresh($this->now()) === true ? $found : null;
    }

    private function passChange(Request $request, Handler $handler): Response
    {
        $response = $handler->handle($request);
        if (CacheableRequest::isChange($request) && $response->getStatusCode() < 400) {
            $this->cache->delete(self::key($request));
        }

        return self::withCacheStatus($response, 'fwd=bypass; detail=method');
    }

    /**
     * @return array{StoredResponse, Response}|null what to store, and the response with its body again; null
     *         if it may not be stored
     */
    private function taken(Response $response): ?array
    {
        $control = CacheControl::of($response);
        $now = $this->now();
        $ttl = self::ttl($control, $response, $now);
        if ($ttl <= 0 || $control->isRefused() || self::isRefusedToProxies($response)
            || !\in_array($response->getStatusCode(), self::STATUSES, true) || self::varies($response) === null
            || array_filter(['Set-Cookie', 'Set-Cookie2', 'Content-Range'], $response->hasHeader(...)) !== []) {
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

        $stale = min($control->stale(), $this->maxStale);

        return [StoredResponse::take($response, $body, $ttl, $stale, $now), $response];
    }

    /**
     * @return string|null null if it is too long or of unknown length, not as long as announced, or cannot be read
     *         twice
     */
    private function body(Response $response): ?string
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

    /** Headers for the caches of web servers and of networks alone (such as RFC 9213) hold for this one too. */
    private static function isRefusedToProxies(Response $response): bool
    {
        $said = $response->getHeaderLine('CDN-Cache-Control') . ',' . $response->getHeaderLine('Surrogate-Control');

        return $response->getHeaderLine('X-Accel-Expires') === '0'
            || preg_match('~(^|[\s,])(private|no-store|no-cache)\b~i', $said) === 1;
    }

    /** @return int seconds that are left; 0 if the response does not ask to be stored */
    private static function ttl(CacheControl $control, Response $response, float $now): int
    {
        $ttl = $control->ttl();
        if ($ttl === null && $response->hasHeader('Expires')) {
            $until = HttpDate::parse($response->getHeaderLine('Expires'));
            $ttl = $until === null ? 0 : $until - (HttpDate::parse($response->getHeaderLine('Date')) ?? (int) $now);
        }

        return max(0, min(self::KNOWN, $ttl ?? 0) - StoredResponse::age($response, $now));
    }

    /** @return list<string>|null lower case; null if by everything, or by what is no name */
    private static function varies(Response $response): ?array
    {
        $names = array_map(trim(...), explode(',', strtolower($response->getHeaderLine('Vary'))));
        $names = array_values(array_diff($names, ['']));

        return preg_grep('~^[\w!#$%&\'+.^`|-]+$~D', $names, \PREG_GREP_INVERT) === [] ? $names : null;
    }

    private static function key(Request $request): string
    {
        return 'url:' . CacheableRequest::key($request);
    }

    private static function newId(): mixed
    {
        return bin2hex(random_bytes(16));
    }

    private static function name(KnownUrl $url, Request $normalized): string
    {
        return 'response:' . $url->id . ':' . CacheableRequest::variant($normalized, $url->names);
    }

    /**
     * The name of a mark: a response to a whole request has shown what may be stored, so no other is built for that.
     */
    private static function learntName(string $id): string
    {
        return "response:$id:learnt";
    }

    private function known(string $id): KnownUrl
    {
        return KnownUrl::of($id, $this->cache->get("response:$id"));
    }

    /**
     * Changes what is known of a URL. On a store that can compare and swap, no other process's change is lost.
     *
     * @param \Closure(KnownUrl): KnownUrl $change
     * @return KnownUrl|null as it is now; null if others change it each time, or the store refuses
     */
    private function change(string $id, \Closure $change): ?KnownUrl
    {
        if (!$this->cache->can(Capability::Atomic)) {
            $changed = $change($this->known($id));

            return $this->cache->set("response:$id", $changed->stored(), self::KNOWN) ? $changed : null;
        }
        $refused = false;
        for ($try = 0; $try < self::TRIES; ++$try) {
            $stored = $this->cache->getWithToken("response:$id", null, $token);
            if ($token === $refused) {
                return null; // it has not changed: the store is unreachable or full
            }
            $changed = $change(KnownUrl::of($id, $stored));
            $isChanged = $token === null
                ? $this->cache->add("response:$id", $changed->stored(), self::KNOWN)
                : $this->cache->setIfUnchanged("response:$id", $token, $changed->stored(), self::KNOWN);
            if ($isChanged) {
                return $changed;
            }
            $refused = $token;
            Functions::sleep(random_int(0, 1000 * $try));
        }

        return null;
    }

    private static function secondsToPass(Response $response): int
    {
        return $response->getStatusCode() < 500 ? self::PASS : self::PASS_ERROR;
    }

    private function pass(string $id, Response $response): void
    {
        $until = $this->now() + self::secondsToPass($response);
        $this->change($id, static fn(KnownUrl $url): KnownUrl => $url->passed($until));
    }

    /**
     * Counts a variant among those of its URL. One in excess goes, also while it is being built: what is deleted then
     * is not stored any more.
     *
     * @param list<string> $names
     * @return bool false if it may not be stored
     */
    private function include(string $id, array $names, string $variant, int $stale): bool
    {
        $dropped = [];
        $changed = $this->change($id, function (KnownUrl $url) use ($names, $variant, $stale, &$dropped): KnownUrl {
            [$url, $dropped] = $url->with($names)->including($variant, $stale, $this->maxVariants);

            return $url;
        });
        if ($changed === null) {
            return false;
        }
        $this->cache->deleteMany($dropped);

        return true;
    }

    private function found(Request $request, StoredResponse $stored, string $status): Response
    {
        $now = $this->now();

        $response = $stored->response($this->responses, $this->streams, $now);

        return $this->answer($request, $response, \sprintf('%s; ttl=%d', $status, $stored->ttl($now)));
    }

    /** The response, or 304 if the client has it. */
    private function answer(Request $request, Response $response, string $status): Response
    {
        $response = self::withCacheStatus($response, $status);
        $isUnchanged = $response->getStatusCode() === 200 && self::isUnchanged($request, $response);
        if ($isUnchanged) {
            $response = $response->withStatus(304)->withoutHeader('Content-Length')->withoutHeader('Content-Type');
        }
        $hasBody = !$isUnchanged && $request->getMethod() !== 'HEAD';

        return $hasBody ? $response : $response->withBody($this->streams->createStream(''));
    }

    /** RFC 9110 13.2.2: If-Modified-Since only without If-None-Match. */
    private static function isUnchanged(Request $request, Response $response): bool
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

    private static function withCacheStatus(Response $response, string $what): Response
    {
        return $response->withAddedHeader('Cache-Status', 'Larder; ' . $what);
    }

    private function now(): float
    {
        return $this->clock === null ? microtime(true) : (float) $this->clock->now()->format('U.u');
    }
}
