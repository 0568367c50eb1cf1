<?php

declare(strict_types=1);

namespace Larder\Http;

use Psr\Http\Message\ResponseInterface;

/** What the headers of a response say about keeping it, for a cache that many visitors share (RFC 9111, RFC 5861). */
final class CacheControl
{
    /** Every one of them keeps a response out of a shared cache. With a list of fields too: those would have to be left out. */
    private const REFUSALS = ['no-store', 'private', 'no-cache'];

    /** Seconds; no ttl is longer. */
    private const LONGEST = 31_536_000;

    /** @param array<string, string> $directives by lower-case name; '' for one without a value */
    private function __construct(private readonly array $directives) {}

    public static function of(ResponseInterface $response): self
    {
        $directives = [];
        // A string that does not end in its line would otherwise hide directives of the next one.
        foreach ($response->getHeader('Cache-Control') as $line) {
            preg_match_all('~([\w!#$%&\'*+.^`|-]+)(?:\s*=\s*(?:"((?:[^"\\\\]|\\\\.)*+)"|([^\s,;]*)))?~', $line, $found, \PREG_SET_ORDER | \PREG_UNMATCHED_AS_NULL);
            foreach ($found as [1 => $name, 2 => $quoted, 3 => $plain]) {
                // The stricter one wins, if one is there twice: the shorter time.
                $value = $quoted ?? $plain ?? '';
                $name = strtolower($name);
                $directives[$name] = isset($directives[$name]) && (int) $directives[$name] < (int) $value ? $directives[$name] : $value;
            }
        }

        return new self($directives);
    }

    public function isRefused(): bool
    {
        return array_intersect_key($this->directives, array_flip(self::REFUSALS)) !== [];
    }

    /** @return int|null seconds for which a shared cache may serve it; null if it does not say */
    public function ttl(): ?int
    {
        return $this->seconds('s-maxage') ?? $this->seconds('max-age');
    }

    /** @return int seconds after the ttl in which it may be served while it is made again */
    public function stale(): int
    {
        $isForbidden = isset($this->directives['must-revalidate']) || isset($this->directives['proxy-revalidate']);

        return $isForbidden ? 0 : $this->seconds('stale-while-revalidate') ?? 0;
    }

    /** @return int|null null if there is none; 0 if it cannot be read */
    private function seconds(string $name): ?int
    {
        $value = $this->directives[$name] ?? null;
        if ($value === null) {
            return null;
        }

        return ctype_digit($value) ? (int) min(self::LONGEST, (float) $value) : 0;
    }
}
