<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\PostgreSql\PgBouncer;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\PostgreSqlServer;
use Larder\Cli\Server\ServerProcess;
use Larder\Cli\System\Executable;
use PgSql\Connection;

/** PgBouncer in front of a server, on a unix socket next to the server's. It ends with this object. */
final class PgBouncer
{
    /** User for PgBouncer, which refuses to run as root. */
    private const INSTEAD_OF_ROOT = 'nobody';

    private function __construct(
        private readonly ServerProcess $process,
        public readonly string $socket,
        private readonly string $password,
    ) {}

    /**
     * @param 'session'|'transaction'|'statement' $mode decides when a client's session may serve another client
     * @param int $sessions number of sessions that all clients share
     * @param array<string, string> $settings further settings of pgbouncer.ini
     * @param string $connectQuery first statement of each session
     */
    public static function before(
        PostgreSqlServer $server,
        string $mode,
        int $sessions = 1,
        array $settings = [],
        string $connectQuery = '',
    ): self {
        $program = Executable::find(['pgbouncer'], 'pgbouncer')->path;
        $folder = \dirname($server->socket);
        $name = \sprintf('%s/pgbouncer-%s', $folder, bin2hex(random_bytes(4)));
        [$process, $port] = Address::onFreePort(static function (
            int $port,
        ) use ($server, $mode, $sessions, $settings, $connectQuery, $program, $folder, $name): ServerProcess {
            self::write(
                "$name.users",
                \sprintf(
                    "\"%s\" \"%s\"\n\"%s\" \"%2\$s\"\n",
                    PostgreSqlServer::USER,
                    $server->password,
                    PostgreSqlServer::ADMINISTRATOR,
                ),
            );
            $lines = [];
            foreach ([
                'pool_mode' => $mode,
                'default_pool_size' => (string) $sessions,
                'unix_socket_dir' => $folder,
                'listen_port' => (string) $port,
                'max_client_conn' => '300', // a hundred processes connect at once
                'auth_type' => 'scram-sha-256',
                'auth_file' => "$name.users",
                ...$settings,
            ] as $setting => $value) {
                $lines[] = "$setting = $value";
            }
            self::write("$name.ini", \sprintf(
                "[databases]\n%s = host=%s port=%d%s\n[pgbouncer]\n%s\n",
                PostgreSqlServer::DATABASE,
                $folder,
                $server->port,
                $connectQuery === '' ? '' : " connect_query='$connectQuery'",
                implode("\n", $lines),
            ));

            return ServerProcess::start(
                [$program, ...(posix_geteuid() === 0 ? ['--user', self::INSTEAD_OF_ROOT] : []), "$name.ini"],
                "$name.log",
                static fn(): bool => Address::says("$folder/.s.PGSQL.$port", '', ''),
                deathSignal: 'TERM',
            );
        });

        return new self($process, "$folder/.s.PGSQL.$port", $server->password);
    }

    /** @return string it has an option, so that others can follow */
    public function dsn(): string
    {
        return \sprintf(
            'pgsql://%s:%s@/%s?socket=%s',
            PostgreSqlServer::USER,
            $this->password,
            PostgreSqlServer::DATABASE,
            $this->socket,
        );
    }

    /** A connection of the application. */
    public function connect(): Connection
    {
        $connection = pg_connect($this->settings(), \PGSQL_CONNECT_FORCE_NEW);

        return $connection !== false ? $connection : throw new \RuntimeException('no connection to PgBouncer');
    }

    /** @param array<int, mixed> $options */
    public function pdo(array $options): \PDO
    {
        return new \PDO('pgsql:' . $this->settings(), options: $options);
    }

    /** The connection string for pg_connect(). */
    public function settings(): string
    {
        $port = substr((string) strrchr($this->socket, '.'), 1);

        return \sprintf(
            'host=%s port=%s dbname=%s user=%s password=%s',
            \dirname($this->socket),
            $port,
            PostgreSqlServer::DATABASE,
            PostgreSqlServer::USER,
            $this->password,
        );
    }

    /**
     * The answer for a program that connects, runs one statement, and disconnects.
     *
     * @return list<string|null> the first column
     */
    public function answer(string $sql): array
    {
        $connection = $this->connect();
        $result = pg_query($connection, $sql);
        pg_close($connection);
        /** @var list<string|null> $column */
        $column = $result === false ? throw new \RuntimeException(
            $sql,
        ) : (pg_num_fields($result) === 0 ? [] : pg_fetch_all_columns($result));

        return $column;
    }

    public function stop(): void
    {
        $this->process->stop();
    }

    /** Writes into a folder that only this user and the server's user can enter. */
    private static function write(string $file, string $content): void
    {
        file_put_contents($file, $content);
        if (posix_geteuid() === 0) {
            chown($file, self::INSTEAD_OF_ROOT);
        }
        chmod($file, 0o600);
    }
}
