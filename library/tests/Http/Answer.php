<?php

declare(strict_types=1);

namespace Larder\Tests\Http;

/** The answer of a web server. */
final class Answer
{
    /** @param array<string, string> $headers by lower-case name */
    private function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {}

    /** @param array<string, string> $headers the only headers that are sent, besides "Connection: close" */
    public static function to(string $url, array $headers, string $method = 'GET'): self
    {
        $lines = array_map(
            static fn(string $name, string $value): string => "$name: $value",
            array_keys($headers),
            $headers,
        );
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => [...$lines, 'Connection: close'],
            'ignore_errors' => true,
            'protocol_version' => 1.1,
            'timeout' => 60.0,
        ]]);
        $stream = fopen($url, 'r', false, $context);
        if ($stream === false) {
            throw new \RuntimeException("$url does not answer");
        }
        $body = (string) stream_get_contents($stream);
        $said = (array) (stream_get_meta_data($stream)['wrapper_data'] ?? []);
        fclose($stream);
        $status = 0;
        $found = [];
        foreach ($said as $line) {
            $line = \is_string($line) ? $line : '';
            if (preg_match('~^HTTP/\S+ (\d+)~', $line, $match) === 1) {
                $status = (int) $match[1];
            } elseif (preg_match('~^([^:]+):\s*(.*)$~', $line, $match) === 1) {
                $found[strtolower($match[1])] = $match[2];
            }
        }

        return new self($status, $found, $body);
    }
}
