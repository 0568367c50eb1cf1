<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\ServerFailed;

/**
 * A persistent FastCGI connection, as of a web server: requests follow one another without a new process or connection.
 * It occupies one worker of the pool while it is open.
 *
 * @see https://fastcgi-archives.github.io/FastCGI_Specification.html
 */
final class PhpFpmConnection
{
    private const BEGIN_REQUEST = 1;
    private const END_REQUEST = 3;
    private const PARAMS = 4;
    private const STDIN = 5;
    private const STDOUT = 6;
    private const STDERR = 7;
    private const RESPONDER_THAT_KEEPS = "\0\1\1\0\0\0\0\0";

    /** @param resource $stream */
    private function __construct(private $stream) {}

    /** @throws ServerFailed if nothing listens there */
    public static function open(string $socket, float $seconds = 30.0): self
    {
        $stream = @stream_socket_client('unix://' . $socket, $code, $reason, $seconds);
        if ($stream === false) {
            throw new ServerFailed(\sprintf('cannot connect to %s: %s', $socket, $reason));
        }
        stream_set_timeout($stream, (int) ceil($seconds));

        return new self($stream);
    }

    /**
     * @param array<string, string> $parameters see PhpFpmServer::parameters()
     * @throws ServerFailed if the worker ends, or does not answer in time
     */
    public function request(array $parameters): PhpFpmResponse
    {
        $pairs = '';
        foreach ($parameters as $name => $value) {
            $pairs .= self::length($name) . self::length($value) . $name . $value;
        }
        $request = self::record(self::BEGIN_REQUEST, self::RESPONDER_THAT_KEEPS)
            . self::record(self::PARAMS, $pairs) . self::record(self::PARAMS, '') . self::record(self::STDIN, '');
        if (@fwrite($this->stream, $request) !== \strlen($request)) {
            throw new ServerFailed('the PHP-FPM worker closed the connection');
        }
        $said = [self::STDOUT => '', self::STDERR => ''];
        do {
            ['type' => $type, 'length' => $length, 'padding' => $padding] = self::header($this->read(8));
            $content = $this->read($length);
            $this->read($padding);
            if (isset($said[$type])) {
                $said[$type] .= $content;
            }
        } while ($type !== self::END_REQUEST);

        return PhpFpmResponse::parse($said[self::STDOUT], $said[self::STDERR]);
    }

    public function close(): void
    {
        fclose($this->stream);
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCC', 1, $type, 1, \strlen($content), 0, 0) . $content;
    }

    private static function length(string $text): string
    {
        return \strlen($text) < 0x80 ? \chr(\strlen($text)) : pack('N', \strlen($text) | 0x8000_0000);
    }

    /** @return array{type: int, length: int, padding: int} */
    private static function header(string $bytes): array
    {
        /** @var array{type: int, length: int, padding: int} $fields */
        $fields = unpack('x/Ctype/x2/nlength/Cpadding', $bytes);

        return $fields;
    }

    private function read(int $length): string
    {
        $bytes = $length > 0 ? (string) stream_get_contents($this->stream, $length) : '';
        if (\strlen($bytes) !== $length) {
            throw new ServerFailed('the PHP-FPM worker exited in the middle of its response');
        }

        return $bytes;
    }
}
