<?php

declare(strict_types=1);

namespace Larder\Cli\Server;

use Larder\Cli\System\Executable;
use Larder\Cli\System\ServerFailed;
use Larder\Internal\Driver\Connection;
use Symfony\Component\Process\Process;

/**
 * PostgreSQL on a Unix socket and on a loopback port, with one empty database and one user who owns it. The user has a
 * password, since everybody on the machine can reach the port.
 *
 * PostgreSQL refuses to run as root. If root starts it, it runs as nobody, who may enter the parent folders.
 */
final class PostgreSqlServer implements Server
{
    public const USER = 'larder';
    public const DATABASE = 'larder';
    /** Superuser, with the same password. */
    public const ADMINISTRATOR = 'postgres';

    private const INSTEAD_OF_ROOT = 'nobody';
    private const PACKAGE = 'postgresql';
    private const PROTOCOL = 3 << 16;

    private readonly int $starter;

    private function __construct(
        private readonly ServerProcess $process,
        public readonly string $socket,
        public readonly int $port,
        public readonly string $password,
        public readonly string $version,
    ) {
        $this->starter = (int) getmypid();
    }

    /**
     * @param string $directory for data, socket and log; created if missing. An existing directory of an earlier server
     *         is reused, with its data
     * @param list<string> $options of postgres, such as ['-c', 'max_connections=20']
     * @throws ServerFailed
     */
    public static function start(string $directory, array $options = []): self
    {
        $postgres = self::program('postgres');
        $home = \dirname(Address::socket($directory . '/pg', '.s.PGSQL.65535'));
        $user = self::prepare($home);
        $password = bin2hex(random_bytes(12));
        self::install($home, $user, $password);
        [$process, $port] = Address::onFreePort(static fn(int $port): ServerProcess => ServerProcess::start(
            [
                ...$user, $postgres->path, '-D', $home . '/data', '-k', $home, '-h', Address::HOST, '-p',
                (string) $port,
                // Shared memory in files of the data folder, which are removed with it; more clients than the 100
                // processes of a stampede
                '-c', 'dynamic_shared_memory_type=mmap', '-c', 'max_connections=200', ...$options,
            ],
            $home . '/postgresql.log',
            static fn(): bool => Address::says("$home/.s.PGSQL.$port", self::greeting(), 'SCRAM-SHA-256'),
            deathSignal: 'TERM',
        ));

        return new self($process, "$home/.s.PGSQL.$port", $port, $password, $postgres->version());
    }

    public function __destruct()
    {
        $this->stop();
    }

    public function pid(): ?int
    {
        return $this->process->pid();
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
        if (getmypid() === $this->starter && $this->process->pid() !== null) {
            $this->process->signal(\SIGINT); // after SIGTERM alone, it would wait until all clients disconnect
        }
        $this->process->stop();
    }

    private static function program(string $name): Executable
    {
        $folders = array_map(strval(...), (array) glob('/usr/lib/postgresql/*/bin/' . $name));

        return Executable::find([...array_reverse($folders), $name], self::PACKAGE);
    }

    /** @return list<string> prefix of a command, so that root runs it as another user */
    private static function prepare(string $home): array
    {
        if (posix_geteuid() !== 0) {
            return [];
        }
        $group = posix_getpwnam(self::INSTEAD_OF_ROOT)['gid'] ?? 0;
        chown($home, self::INSTEAD_OF_ROOT);
        for ($folder = \dirname($home); (fileperms($folder) & 0o001) === 0; $folder = \dirname($folder)) {
            chmod($folder, fileperms($folder) & 0o7777 | 0o001);
        }

        return [
            Executable::find(['setpriv'], 'util-linux')->path,
            '--reuid', self::INSTEAD_OF_ROOT, '--regid', (string) $group, '--clear-groups', '--pdeathsig', 'TERM', '--',
        ];
    }

    /**
     * @param list<string> $user
     * @throws ServerFailed
     */
    private static function install(string $home, array $user, string $password): void
    {
        $data = $home . '/data';
        if (!is_dir($data . '/base')) {
            ServerProcess::run([
                ...$user, self::program('initdb')->path, '-D', $data, '-U', self::ADMINISTRATOR, '-A', 'scram-sha-256',
                '--pwfile=/proc/sys/kernel/random/uuid', '-E', 'UTF8', '--no-locale', '--no-sync',
            ], $home . '/install.log');
        }
        // One statement a line, without a server. A statement for something that exists fails, and the next line is
        // read.
        $first = new Process(
            [...$user, self::program('postgres')->path, '--single', '-D', $data, 'postgres'],
            $home,
            timeout: 300.0,
        );
        $first->setInput(implode("\n", [
            \sprintf('CREATE ROLE %s LOGIN', self::USER),
            \sprintf('CREATE DATABASE %s OWNER %s', self::DATABASE, self::USER),
            \sprintf("ALTER ROLE %s PASSWORD '%s'", self::USER, $password),
            \sprintf("ALTER ROLE %s PASSWORD '%s'", self::ADMINISTRATOR, $password),
        ]) . "\n");
        if ($first->run() !== 0) {
            throw new ServerFailed('postgres --single: ' . trim($first->getErrorOutput()));
        }
    }

    private static function greeting(): string
    {
        $message = pack('N', self::PROTOCOL) . \sprintf("user\0%s\0database\0%s\0\0", self::USER, self::DATABASE);

        return pack('N', 4 + \strlen($message)) . $message;
    }
}
