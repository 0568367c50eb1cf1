<?php

declare(strict_types=1);

namespace Larder\Cli\Tests\Http;

use Larder\Cli\Http\HttpFailed;
use Larder\Cli\Http\HttpResponse;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class HttpResponseTest extends TestCase
{
    private const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

    public function testBodyIsReadWithAndWithoutChunks(): void
    {
        self::assertSame(
            'Hello world',
            HttpResponse::parse("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nHello world")->body,
        );
        self::assertSame(
            "Hello\r\nworld",
            HttpResponse::parse(self::CHUNKED . "7\r\nHello\r\n\r\n5;x=y\r\nworld\r\n0\r\n\r\n")->body,
        );
        self::assertSame('', HttpResponse::parse(self::CHUNKED . "0\r\n\r\n")->body);
    }

    #[TestWith([self::CHUNKED . "9\r\nHello\r\n0\r\n\r\n"])]
    #[TestWith([self::CHUNKED . "5\r\nHello\r\n"])]
    #[TestWith(['Hello'])]
    public function testBrokenResponseIsRefused(string $bytes): void
    {
        $this->expectException(HttpFailed::class);
        HttpResponse::parse($bytes);
    }

    public function testWrongStatusOrBodyIsAProblem(): void
    {
        $answer = HttpResponse::parse("HTTP/1.1 200 OK\r\n\r\nHello");
        self::assertSame('', $answer->problem('Hello'));
        self::assertStringContainsString('a wrong body of 5 bytes instead of 6', $answer->problem('Hello!'));
        self::assertStringContainsString(
            'status 502: no',
            HttpResponse::parse("HTTP/1.1 502 Bad Gateway\r\n\r\n<p>no</p>")->problem('Hello'),
        );
    }
}
