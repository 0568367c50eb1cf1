<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\Executable;
use Larder\Cli\System\ServerFailed;
use Larder\Internal\Driver\Connection;

/** Redis on a unix socket and on a loopback port, without persistence. */
final class RedisServer implements Server
{
    /**
     * With these commands, other users of the machine could make a server that runs as root write files of their
     * choice.
     */
    private const REFUSED_COMMANDS = ['CONFIG', 'MODULE', 'DEBUG', 'REPLICAOF', 'SLAVEOF', 'MIGRATE'];

    private function __construct(
        private readonly ServerProcess $process,
        public readonly string $socket,
        public readonly int $port,
        public readonly string $version,
    ) {}

    /**
     * @param string $directory for the socket and the log; made when missing
     * @param list<string> $options of redis-server, such as ['--maxmemory', '2mb']
     * @param bool $isTls true if the port speaks TLS, as configured by options; the socket never does
     * @throws ServerFailed
     */
    public static function start(string $directory, array $options = [], bool $isTls = false): self
    {
        $executable = Executable::find(['redis-server', 'valkey-server'], 'redis-server');
        $socket = Address::socket($directory, 'redis');
        $refused = array_merge(...array_map(
            static fn(string $name): array => ['--rename-command', $name, ''],
            self::REFUSED_COMMANDS,
        ));
        [$process, $port] = Address::onFreePort(fn(int $port): ServerProcess => ServerProcess::start(
            [
                $executable->path, '--bind', Address::HOST, ...($isTls ? ['--port', '0', '--tls-port'] : ['--port']),
                (string) $port,
                '--unixsocket', $socket, '--unixsocketperm', '700', '--dir', \dirname($socket),
                '--save', '', '--appendonly', 'no', '--daemonize', 'no', ...$refused, ...$options,
            ],
            $directory . '/redis.log',
            fn(): bool => Address::says($socket, "PING\r\n", 'PONG'),
        ));

        return new self($process, $socket, $port, $executable->version());
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
        $this->process->stop();
    }
}
