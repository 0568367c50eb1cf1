<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

/** The response of a web server. */
final class HttpResponse
{
    private function __construct(
        public readonly int $status,
        public readonly string $body,
    ) {}

    /**
     * @param string $bytes a whole response of HTTP/1.1
     * @throws HttpFailed if it is not one
     */
    public static function parse(string $bytes): self
    {
        [$head, $body] = [...explode("\r\n\r\n", $bytes, 2), ''];
        if (preg_match('~^HTTP/1\.[01] (\d{3})\b~', $head, $status) !== 1) {
            throw new HttpFailed('the answer is not HTTP: ' . substr($bytes, 0, 80));
        }

        return new self(
            (int) $status[1],
            preg_match('/^transfer-encoding:\s*chunked\s*$/mi', $head) === 1 ? self::joined($body) : $body,
        );
    }

    /** The fault of the response; empty if it is as expected. */
    public function problem(string $expectedBody): string
    {
        return match (true) {
            $this->status !== 200
                => \sprintf('status %d: %s', $this->status, substr(trim(strip_tags($this->body)), 0, 120)),
            $this->body !== $expectedBody => \sprintf(
                'a wrong body of %d bytes instead of %d: %s',
                \strlen($this->body),
                \strlen($expectedBody),
                substr($this->body, 0, 80),
            ),
            default => '',
        };
    }

    /** @throws HttpFailed */
    private static function joined(string $chunks): string
    {
        $body = '';
        for ($at = 0; preg_match('/\G([0-9a-f]+)[^\r\n]*\r\n/i', $chunks, $size, 0, $at) === 1; $at += 2) {
            $at += \strlen($size[0]);
            $length = (int) hexdec($size[1]);
            if ($length === 0) {
                return $body;
            }
            $body .= substr($chunks, $at, $length);
            $at += $length;
        }

        throw new HttpFailed('the answer ends in the middle of a chunk');
    }
}
