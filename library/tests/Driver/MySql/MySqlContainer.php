<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\MySql;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\MariaDbServer;
use Larder\Cli\Server\ServerProcess;
use Larder\Cli\System\Executable;

/**
 * MariaDB as in containers: all have the same host name, port, socket and data directory, and each has its own network
 * interface. Needs root. It ends with this object.
 */
final class MySqlContainer
{
    private const START = <<<'SH'
        hostname mysql-0 && ip link set lo up && ip link add eth0 type bridge && ip addr add 10.0.0.2/24 dev eth0 && ip link set eth0 up && mount --bind "$1" /mnt &&
            exec "$2" --no-defaults --user=root --datadir=/mnt/mariadb --tmpdir=/mnt --socket=/mnt/mariadb.sock --bind-address=127.0.0.1 --port=3306 \
            --performance-schema=OFF --skip-log-bin --innodb-buffer-pool-size=8M --innodb-log-file-size=4M
        SH;

    private function __construct(
        private readonly ServerProcess $process,
        private readonly string $socket,
        private readonly string $password,
    ) {}

    public static function start(string $directory): self
    {
        $once = MariaDbServer::start($directory); // creates the data directory, with its users
        $once->stop();
        $home = \dirname($once->socket);
        $process = ServerProcess::start(
            ['unshare', '--net', '--uts', '--mount', 'sh', '-c', self::START, 'sh', $home, Executable::find([
                'mariadbd',
            ], 'mariadb-server-core')->path],
            "$home/container.log",
            static fn(): bool => Address::says("$home/mariadb.sock", '', 'mysql_native_password'),
        );

        return new self($process, "$home/mariadb.sock", $once->password);
    }

    public function connect(): \PDO
    {
        return new \PDO(
            \sprintf('mysql:unix_socket=%s;dbname=%s', $this->socket, MariaDbServer::DATABASE),
            MariaDbServer::USER,
            $this->password,
        );
    }

    public function stop(): void
    {
        $this->process->stop();
    }
}
