<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

/** The response of a PHP-FPM worker. */
final class PhpFpmResponse
{
    /**
     * @param int $status HTTP status; 200 when the script named none
     * @param array<string, string> $headers names in lower case
     * @param string $errors what the worker wrote to the FastCGI error stream
     */
    private function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
        public readonly string $errors,
    ) {}

    /** @param string $output a CGI response: header lines, an empty line, the body */
    public static function parse(string $output, string $errors): self
    {
        [$head, $body] = [...explode("\r\n\r\n", $output, 2), ''];
        $headers = [];
        foreach (explode("\r\n", $head) as $line) {
            [$name, $value] = [...explode(':', $line, 2), ''];
            $headers[strtolower(trim($name))] = trim($value);
        }

        return new self((int) ($headers['status'] ?? '200'), $headers, $body, $errors);
    }
}
