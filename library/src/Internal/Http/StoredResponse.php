<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\ResponseInterface as Response;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * A whole response as plain data, which every store keeps without its classes.
 *
 * @phpstan-type Shape array{status: int, reason: string, version: string, headers: array<array-key, list<string>>,
 *         body: string, age: int, made: float, fresh: float, stale: int}
 */
final class StoredResponse
{
    /** Headers of one connection, and not of the response (RFC 9110 7.6.1). */
    private const HOP_BY_HOP = [
        'connection', 'keep-alive', 'proxy-authenticate', 'proxy-authentication-info', 'proxy-authorization',
        'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'age', 'cache-status',
    ];

    /** @param Shape $shape */
    private function __construct(private readonly array $shape) {}

    /**
     * @param int $ttl seconds for which it is fresh
     * @param int $stale seconds after that in which it may be served
     */
    public static function take(Response $response, string $body, int $ttl, int $stale, float $now): self
    {
        $named = explode(',', strtolower($response->getHeaderLine('Connection')));
        $dropped = [...self::HOP_BY_HOP, ...array_map(trim(...), $named)];
        $headers = [];
        foreach ($response->getHeaders() as $name => $values) {
            if (!\in_array(strtolower((string) $name), $dropped, true)) {
                $headers[$name] = array_values($values);
            }
        }

        return new self([
            'status' => $response->getStatusCode(),
            'reason' => $response->getReasonPhrase(),
            'version' => $response->getProtocolVersion(),
            'headers' => $headers,
            'body' => $body,
            'age' => self::age($response, $now),
            'made' => $now,
            'fresh' => $now + $ttl,
            'stale' => $stale,
        ]);
    }

    /** @return self|null null for anything else, such as an entry of another version of this class */
    public static function of(mixed $stored): ?self
    {
        $names = ['status', 'reason', 'version', 'headers', 'body', 'age', 'made', 'fresh', 'stale'];
        if (!\is_array($stored) || array_keys($stored) !== $names) {
            return null;
        }
        /** @var Shape $stored */
        return new self($stored);
    }

    /** @return int seconds that it was in caches before, as they say, or by its date (RFC 9111 4.2.3) */
    public static function age(Response $response, float $now): int
    {
        $isSaid = preg_match('~^\d+~', $response->getHeaderLine('Age'), $age) === 1;
        $said = $isSaid ? (int) min(\PHP_INT_MAX >> 1, (float) $age[0]) : 0;

        return max($said, (int) $now - (HttpDate::parse($response->getHeaderLine('Date')) ?? (int) $now));
    }

    /** @return Shape */
    public function stored(): array
    {
        return $this->shape;
    }

    public function isFresh(float $now): bool
    {
        return $now < $this->shape['fresh'];
    }

    /** True if it may be served, fresh or stale. */
    public function isUsable(float $now): bool
    {
        return $now < $this->shape['fresh'] + $this->shape['stale'];
    }

    /** @return int seconds after its time in which it may be served */
    public function stale(): int
    {
        return $this->shape['stale'];
    }

    /** @return int seconds for which it is still fresh; negative if it is not */
    public function ttl(float $now): int
    {
        return (int) floor($this->shape['fresh'] - $now);
    }

    public function response(ResponseFactoryInterface $responses, StreamFactoryInterface $streams, float $now): Response
    {
        $response = $responses->createResponse($this->shape['status'], $this->shape['reason'])
            ->withProtocolVersion($this->shape['version'])
            ->withBody($streams->createStream($this->shape['body']));
        foreach ($this->shape['headers'] as $name => $values) {
            $response = $response->withHeader((string) $name, $values);
        }

        return $response->withHeader('Age', (string) max(0, $this->shape['age'] + (int) ($now - $this->shape['made'])));
    }
}
