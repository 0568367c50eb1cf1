<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\Executable;
use Larder\Cli\System\ServerFailed;
use Larder\Internal\Driver\Connection;

/**
 * memcached on a Unix socket and on a loopback port. One memcached process cannot listen on both, so there are two, and
 * a value stored through one is not visible through the other.
 */
final class MemcachedServer implements Server
{
    private function __construct(
        private readonly ServerProcess $socketProcess,
        private readonly ServerProcess $tcpProcess,
        public readonly string $socket,
        public readonly int $port,
        public readonly string $version,
    ) {}

    /**
     * @param string $directory for the socket and the logs; made when missing
     * @param list<string> $options of memcached, such as ['-m', '8']
     * @throws ServerFailed
     */
    public static function start(string $directory, array $options = []): self
    {
        $executable = Executable::find(['memcached'], 'memcached');
        $socket = Address::socket($directory, 'memcached');
        $command = [$executable->path, '-U', '0', ...(posix_geteuid() === 0 ? ['-u', 'root'] : []), ...$options];
        $onSocket = ServerProcess::start(
            [...$command, '-s', $socket],
            $directory . '/memcached-socket.log',
            fn(): bool => Address::says($socket, "version\r\n", "\r\n"), // an error if it requires a login
        );
        // memcached chooses the port and writes it to a file, so no other program can take it in between.
        $portFile = $directory . '/memcached.port';
        @unlink($portFile);
        $onTcp = ServerProcess::start(
            [...$command, '-l', Address::HOST, '-p', '-1'],
            $directory . '/memcached-tcp.log',
            fn(): bool => self::port($portFile) !== null,
            environment: ['MEMCACHED_PORT_FILENAME' => $portFile],
        );

        return new self($onSocket, $onTcp, $socket, (int) self::port($portFile), $executable->version());
    }

    public function location(Connection $connection): string
    {
        return $connection === Connection::Socket ? $this->socket : \sprintf('%s:%d', Address::HOST, $this->port);
    }

    public function version(): string
    {
        return $this->version;
    }

    public function stop(): void
    {
        $this->socketProcess->stop();
        $this->tcpProcess->stop();
    }

    private static function port(string $file): ?int
    {
        return is_file($file) && preg_match('/^TCP INET: (\d+)$/m', (string) file_get_contents($file), $match) === 1
            ? (int) $match[1]
            : null;
    }
}
