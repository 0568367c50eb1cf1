<?php

declare(strict_types=1);

namespace Larder\Internal\Http;

use Psr\Http\Message\ResponseInterface as Response;

/** The headers of a response about storing it, for a cache that many visitors share (RFC 9111, RFC 5861). */
final class CacheControl
{
    /** Each keeps a response out of a shared cache. With a list of fields too: those would have to be left out. */
    private const REFUSALS = ['no-store', 'private', 'no-cache'];

    /** Seconds of the longest ttl. */
    private const LONGEST = 31_536_000;

    private const DIRECTIVE = '~([\w!#$%&\'*+.^`|-]+)(?:\s*=\s*(?:"((?:[^"\\\\]|\\\\.)*+)"|([^\s,;]*)))?~';

    /** @param array<string, string> $directives by lower-case name; '' for one without a value */
    private function __construct(private readonly array $directives) {}

    public static function of(Response $response): self
    {
        $directives = [];
        // Line by line: a quoted string without an end must not hide directives of the next line.
        foreach ($response->getHeader('Cache-Control') as $line) {
            preg_match_all(self::DIRECTIVE, $line, $found, \PREG_SET_ORDER | \PREG_UNMATCHED_AS_NULL);
            foreach ($found as [1 => $name, 2 => $quoted, 3 => $plain]) {
                $value = $quoted ?? $plain ?? '';
                $name = strtolower($name);
                $before = $directives[$name] ?? null; // of two times the shorter counts
                $directives[$name] = $before !== null && (int) $before < (int) $value ? $before : $value;
            }
        }

        return new self($directives);
    }

    public function isRefused(): bool
    {
        return array_intersect_key($this->directives, array_flip(self::REFUSALS)) !== [];
    }

    /** @return int|null seconds for which a shared cache may serve it; null if they are not given */
    public function ttl(): ?int
    {
        return $this->seconds('s-maxage') ?? $this->seconds('max-age');
    }

    /** @return int seconds after the ttl in which it may be served during its renewal */
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
