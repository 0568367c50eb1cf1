<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\Executable;
use Larder\Cli\System\ServerFailed;
use Larder\Internal\Driver\Connection;

/**
 * MariaDB on a Unix socket and on a loopback port, with one empty database and one user who owns it. The user has a
 * password, since everybody on the machine can reach the port.
 */
final class MariaDbServer implements Server
{
    public const USER = 'larder';
    public const DATABASE = 'larder';

    /**
     * Connections that may wait to be accepted. A hundred processes connect at once, and the server's default is 80.
     */
    private const BACKLOG = 512;

    private function __construct(
        private readonly ServerProcess $process,
        public readonly string $socket,
        public readonly int $port,
        public readonly string $password,
        public readonly string $version,
    ) {}

    /**
     * @param string $directory for data, socket and log; created if missing. An existing directory of an earlier server
     *         is reused, with its data
     * @param list<string> $options of mariadbd, such as ['--max-heap-table-size=1M']
     * @throws ServerFailed
     */
    public static function start(string $directory, array $options = []): self
    {
        $executable = Executable::find(['mariadbd'], 'mariadb-server-core');
        $socket = Address::socket($directory, 'mariadb');
        $home = \dirname($socket);
        $user = posix_geteuid() === 0 ? ['--user=root'] : [];
        self::install($home . '/mariadb', $user);
        $password = bin2hex(random_bytes(12));
        self::writeFirstStatements($home . '/mariadb.sql', $password);
        [$process, $port] = Address::onFreePort(fn(int $port): ServerProcess => ServerProcess::start(
            [
                $executable->path, '--no-defaults', ...$user, '--datadir=' . $home . '/mariadb', '--tmpdir=' . $home,
                '--socket=' . $socket, '--bind-address=' . Address::HOST, '--port=' . $port, '--skip-name-resolve',
                '--init-file=' . $home . '/mariadb.sql', '--performance-schema=OFF', '--skip-log-bin',
                '--back-log=' . self::BACKLOG, '--innodb-buffer-pool-size=8M', '--innodb-log-file-size=4M',
                '--max-heap-table-size=64M', ...$options,
            ],
            $home . '/mariadb.log',
            // The server greets with its version and the name of its authentication method.
            fn(): bool => Address::says($socket, '', 'mysql_native_password'),
        ));

        return new self($process, $socket, $port, $password, $executable->version());
    }

    public function location(Connection $connection): string
    {
        $login = self::USER . ':' . $this->password;

        return $connection === Connection::Socket
            ? \sprintf('%s@localhost/%s?socket=%s', $login, self::DATABASE, $this->socket)
            : \sprintf('%s@%s:%d/%s', $login, Address::HOST, $this->port, self::DATABASE);
    }

    public function version(): string
    {
        return $this->version;
    }

    public function stop(): void
    {
        $this->process->stop();
    }

    /** @param list<string> $user */
    private static function install(string $data, array $user): void
    {
        if (is_dir($data . '/mysql')) {
            return;
        }
        ServerProcess::run([
            Executable::find(['mariadb-install-db'], 'mariadb-server-core')->path, '--no-defaults', ...$user,
            '--datadir=' . $data,
            // --force: the machine's own name may not resolve
            '--force', '--skip-test-db', '--skip-name-resolve',
            '--auth-root-authentication-method=socket',
            '--auth-root-socket-user=' . (posix_getpwuid(posix_geteuid())['name'] ?? 'root'),
            // Its tables need no InnoDB. At its first start, the server creates InnoDB's files itself, which is faster.
            '--innodb=OFF', '--default-storage-engine=Aria',
        ], $data . '-install.log');
    }

    /** One statement a line: the server reads an init file line by line. */
    private static function writeFirstStatements(string $file, string $password): void
    {
        touch($file);
        chmod($file, 0o600);
        file_put_contents($file, implode("\n", [
            \sprintf('CREATE DATABASE IF NOT EXISTS %s;', self::DATABASE),
            \sprintf("CREATE OR REPLACE USER %s@'%%' IDENTIFIED BY '%s';", self::USER, $password),
            \sprintf("GRANT ALL ON %s.* TO %s@'%%';", self::DATABASE, self::USER),
        ]) . "\n");
    }
}
