<?php

declare(strict_types=1);

namespace Larder\Cli\Http;

use Larder\Cli\Server\Address;

/**
 * A persistent connection, as of a browser. Sending and receiving do not block, so one process can use many
 * connections. Callers check the answers, because that takes time.
 */
final class HttpConnection
{
    private const CHUNK = 1 << 18;

    private string $received = '';

    /** Length of the answer; null if it ends with its last chunk, or is not known yet. */
    private ?int $length = null;
    private bool $hasHead = false;

    /** @param resource $stream for stream_select() */
    private function __construct(public readonly mixed $stream) {}

    /** @throws HttpFailed */
    public static function open(int $port): self
    {
        $stream = @stream_socket_client(
            \sprintf('tcp://%s:%d', Address::HOST, $port),
            $code,
            $reason,
            5.0,
            \STREAM_CLIENT_CONNECT,
            stream_context_create(['socket' => ['tcp_nodelay' => true]]),
        );
        if ($stream === false) {
            throw new HttpFailed(\sprintf('cannot connect to port %d: %s', $port, $reason));
        }
        stream_set_blocking($stream, false);
        stream_set_chunk_size($stream, self::CHUNK);
        stream_set_read_buffer($stream, 0);

        return new self($stream);
    }

    /**
     * Sends a request. The previous answer must have been received.
     *
     * @param string $path as in a URL, with the first slash
     * @throws HttpFailed
     */
    public function send(string $path): void
    {
        $this->received = '';
        $this->length = null;
        $this->hasHead = false;
        $request = "GET $path HTTP/1.1\r\nHost: localhost\r\n\r\n";
        if (@fwrite($this->stream, $request) !== \strlen($request)) {
            throw new HttpFailed('the server closed the connection');
        }
    }

    /**
     * Receives the available bytes.
     *
     * @return bool true if the answer is complete. A chunked body counts as complete at the bytes that end the last
     *         chunk; if the body itself contains them, HttpResponse reports it as broken
     * @throws HttpFailed
     */
    public function receive(): bool
    {
        $bytes = @fread($this->stream, self::CHUNK);
        if ($bytes === false || $bytes === '') {
            return feof($this->stream) ? throw new HttpFailed('the server closed the connection') : false;
        }
        $this->received .= $bytes;
        if (!$this->hasHead) {
            $end = strpos($this->received, "\r\n\r\n");
            if ($end === false) {
                return false;
            }
            $this->hasHead = true;
            if (preg_match('/^content-length:\s*(\d+)/mi', substr($this->received, 0, $end), $length) === 1) {
                $this->length = $end + 4 + (int) $length[1];
            }
        }

        return $this->length !== null
            ? \strlen($this->received) >= $this->length
            : str_ends_with($this->received, "\r\n0\r\n\r\n");
    }

    /** The raw answer, after receive() has returned true. */
    public function received(): string
    {
        return $this->received;
    }

    /**
     * Sends one request and waits for its answer.
     *
     * @throws HttpFailed
     */
    public function get(string $path, float $seconds = 30.0): HttpResponse
    {
        $this->send($path);
        for ($deadline = microtime(true) + $seconds; !$this->receive();) {
            $read = [$this->stream];
            $write = $except = null;
            if (microtime(true) > $deadline || stream_select($read, $write, $except, (int) ceil($seconds)) === false) {
                throw new HttpFailed(\sprintf('no answer within %g s', $seconds));
            }
        }

        return HttpResponse::parse($this->received);
    }

    public function close(): void
    {
        fclose($this->stream);
    }
}
