<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\ServerFailed;

/** Addresses of private servers: Unix sockets in a directory of their own, and ports of the loopback interface. */
final class Address
{
    public const HOST = '127.0.0.1';

    /** The kernel's limit is 108 bytes with the final zero. */
    private const SOCKET_PATH_LIMIT = 107;
    private const PORT_TRIES = 3;

    /**
     * Creates the directory (0700) if it is missing.
     *
     * @throws ServerFailed if the directory cannot be created, or the path is too long for a socket
     */
    public static function socket(string $directory, string $name): string
    {
        if (!is_dir($directory) && !@mkdir($directory, 0o700, true) && !is_dir($directory)) {
            throw new ServerFailed(\sprintf('%s: cannot create the directory', $directory));
        }
        $socket = \sprintf('%s/%s.sock', (string) realpath($directory), $name);
        if (\strlen($socket) > self::SOCKET_PATH_LIMIT) {
            throw new ServerFailed(\sprintf(
                '%s: a socket path has at most %d bytes; use a shorter directory',
                $socket,
                self::SOCKET_PATH_LIMIT,
            ));
        }

        return $socket;
    }

    /**
     * Starts a server on a free port. If another program takes the port before the server does, tries another port.
     *
     * @param \Closure(int): ServerProcess $start
     * @return array{ServerProcess, int} the server and its port
     * @throws ServerFailed
     */
    public static function onFreePort(\Closure $start): array
    {
        for ($try = 1;; ++$try) {
            $port = self::freePort();

            try {
                return [$start($port), $port];
            } catch (ServerFailed $failed) {
                if ($try === self::PORT_TRIES || !str_contains($failed->getMessage(), 'already in use')) {
                    throw $failed;
                }
            }
        }
    }

    /** True if the server at the Unix socket answers the question with the expected words. */
    public static function says(string $socket, string $question, string $expected): bool
    {
        $stream = @stream_socket_client('unix://' . $socket, timeout: 1.0);
        if ($stream === false) {
            return false;
        }
        stream_set_timeout($stream, 1);
        if ($question !== '') {
            fwrite($stream, $question);
        }
        $answer = $expected === '' ? '' : fread($stream, 1024);
        fclose($stream);

        return $answer !== false && str_contains($answer, $expected);
    }

    /** A port that is free now; see onFreePort(). */
    public static function freePort(): int
    {
        $listener = @stream_socket_server('tcp://' . self::HOST . ':0');
        if ($listener === false) {
            throw new ServerFailed('no free port on ' . self::HOST);
        }
        $name = (string) stream_socket_get_name($listener, false);
        fclose($listener);

        return (int) substr($name, (int) strrpos($name, ':') + 1);
    }
}
