<?php

declare(strict_types=1);

namespace Larder\Tests\Driver\Redis\Topology;

use Larder\Cli\Server\Address;
use Larder\Cli\Server\ServerProcess;
use Larder\Cli\System\Executable;
use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Driver\Redis\Wire\WireConnection;
use Larder\Internal\Server\Credentials;
use Larder\Server\ConnectionSettings;
use Larder\Tests\Server\Certificates;

/**
 * Redis servers that know of each other: a cluster, or a master with replicas and sentinels. They listen on loopback
 * ports, with a password, since other users of the machine can connect. With certificates, they use TLS among
 * themselves, and clients have further ports for it; the ports without TLS are for the tests. They end with this
 * object.
 */
final class RedisNodes
{
    public const PASSWORD = 'of-these-tests';
    /** Milliseconds after which the others consider a server as failed. */
    private const FAILED_AFTER = '1000';
    /** Without replicas, a node that only stands still must not stop the whole cluster. */
    private const FAILED_WITHOUT_REPLICAS_AFTER = '60000';
    private const SECONDS = 60.0;
    /** Options of a server of a cluster. */
    private const MEMBER = ['--cluster-enabled', 'yes', '--cluster-port', '{bus}', '--cluster-node-timeout'];

    /** @var array<int, ServerProcess> by port */
    private array $processes = [];

    /** @var array<int, list<string>> commands, by port */
    private array $commands = [];

    /** @var list<int> */
    public array $sentinels = [];

    /** @var array<int, int> for clients that speak TLS, by port */
    private array $tlsPorts = [];

    private function __construct(
        public readonly string $directory,
        public readonly ?Certificates $ca = null,
        private readonly string $sentinelPassword = '',
    ) {}

    /**
     * @param int $masters number of masters, each with a part of the slots
     * @param int $replicas number of replicas of each master
     */
    public static function cluster(string $directory, int $masters, int $replicas = 0, ?Certificates $ca = null): self
    {
        $nodes = new self($directory, $ca);
        $ports = [];
        for ($i = 0; $i < $masters * (1 + $replicas); ++$i) {
            $ports[] = $nodes->start([
                ...self::MEMBER,
                $replicas === 0 ? self::FAILED_WITHOUT_REPLICAS_AFTER : self::FAILED_AFTER,
            ]);
        }
        foreach ($ports as $i => $port) {
            if ($i < $masters) {
                $nodes->ask(
                    $port,
                    'CLUSTER',
                    'ADDSLOTSRANGE',
                    (string) intdiv(16_384 * $i, $masters),
                    (string) (intdiv(16_384 * ($i + 1), $masters) - 1),
                );
            }
            $nodes->ask($port, 'CLUSTER', 'SET-CONFIG-EPOCH', (string) ($i + 1));
            $nodes->ask(
                $ports[0],
                'CLUSTER',
                'MEET',
                Address::HOST,
                (string) $nodes->clientPort($port),
                (string) $nodes->busPort($port),
            );
        }
        $count = \count($ports);
        self::await(static fn(): bool => array_filter(
            $ports,
            static fn(int $port): bool => !str_contains($nodes->info($port), "cluster_known_nodes:$count\r"),
        ) === []);
        foreach (\array_slice($ports, $masters) as $i => $port) {
            $master = $nodes->ask($ports[$i % $masters], 'CLUSTER', 'MYID');
            $nodes->ask($port, 'CLUSTER', 'REPLICATE', \is_string($master) ? $master : '');
        }
        self::await(static fn(): bool => array_filter(
            $ports,
            static fn(int $port): bool => !str_contains($nodes->info($port), 'cluster_state:ok'),
        ) === []);
        foreach (\array_slice($ports, $masters) as $port) {
            $nodes->awaitLink($port);
        }
        // A replica is listed when it has received a write, and the others have learned of that.
        foreach ($replicas === 0 ? [] : \array_slice($ports, 0, $masters) as $port) {
            $nodes->ask($port, 'FLUSHALL');
        }
        foreach ($ports as $port) {
            self::await(static function () use ($nodes, $port, $replicas): bool {
                $ranges = $nodes->ask($port, 'CLUSTER', 'SLOTS');

                return \is_array($ranges) && array_filter(
                    $ranges,
                    static fn(mixed $range): bool => \is_array($range) && \count($range) < 3 + $replicas,
                ) === [];
            });
        }

        return $nodes;
    }

    /** @return int a further server of the cluster, without slots */
    public function join(): int
    {
        $ports = $this->ports();
        $new = $this->start([...self::MEMBER, self::FAILED_AFTER]);
        $this->ask($ports[0], 'CLUSTER', 'MEET', Address::HOST, (string) $new, (string) $this->busPort($new));
        $known = \sprintf("cluster_known_nodes:%d\r", \count($ports) + 1);
        self::await(
            fn(): bool => array_filter(
                [...$ports, $new],
                fn(int $port): bool => !str_contains($this->info($port), $known),
            ) === []
                && str_contains($this->info($new), 'cluster_state:ok'),
        );

        return $new;
    }

    /**
     * A master with replicas, and sentinels that call it "shop".
     *
     * @param string $sentinelPassword empty for sentinels without a password
     */
    public static function watched(
        string $directory,
        int $replicas,
        int $sentinels,
        ?Certificates $ca = null,
        string $sentinelPassword = '',
    ): self {
        $nodes = new self($directory, $ca, $sentinelPassword);
        $master = $nodes->start([]);
        for ($i = 0; $i < $replicas; ++$i) {
            $nodes->awaitLink($nodes->start(['--replicaof', Address::HOST . ' ' . $nodes->clientPort($master)]));
        }
        for ($i = 0; $i < $sentinels; ++$i) {
            $file = \sprintf('%s/sentinel-%d.conf', $directory, $i);
            file_put_contents($file, implode("\n", [
                \sprintf(
                    'sentinel monitor shop %s %d %d',
                    Address::HOST,
                    $nodes->clientPort($master),
                    intdiv($sentinels, 2) + 1,
                ),
                ...($sentinelPassword === '' ? [] : [\sprintf('requirepass "%s"', $sentinelPassword)]),
                'sentinel auth-pass shop ' . self::PASSWORD,
                'sentinel down-after-milliseconds shop ' . self::FAILED_AFTER,
                'sentinel failover-timeout shop 3000',
                '',
            ]));
            $nodes->sentinels[] = $nodes->start([], $file);
        }
        foreach ($nodes->sentinels as $port) {
            self::await(static function () use ($nodes, $port, $sentinels, $replicas): bool {
                $fields = $nodes->ask($port, 'SENTINEL', 'MASTER', 'shop');
                $text = \is_array($fields) ? implode(' ', array_filter($fields, is_string(...))) : '';

                return str_contains($text, \sprintf('num-slaves %d ', $replicas))
                    && str_contains($text, \sprintf('num-other-sentinels %d ', $sentinels - 1));
            });
        }

        return $nodes;
    }

    /** @return list<int> */
    public function ports(): array
    {
        return array_values(array_diff(array_keys($this->commands), $this->sentinels));
    }

    /**
     * @param list<int>|null $ports ports of the servers
     * @return string "host:port,host:port" for clients
     */
    public function addresses(?array $ports = null): string
    {
        return implode(
            ',',
            array_map(
                fn(int $port): string => Address::HOST . ':' . $this->clientPort($port),
                $ports ?? $this->ports(),
            ),
        );
    }

    /** The port for clients. */
    public function clientPort(int $port): int
    {
        return $this->tlsPorts[$port] ?? $port;
    }

    public function ask(int $port, string $command, string ...$arguments): mixed
    {
        $password = \in_array($port, $this->sentinels, true) ? $this->sentinelPassword : self::PASSWORD;

        return WireConnection::open(new ConnectionSettings(
            Endpoint::tcp(Address::HOST, $port),
            5.0,
            5.0,
            credentials: new Credentials('', $password),
        ))->ask([$command, ...array_values($arguments)]);
    }

    /** @return int the process id */
    public function pid(int $port): int
    {
        return (int) $this->processes[$port]->pid();
    }

    public function kill(int $port): void
    {
        posix_kill($this->pid($port), \SIGKILL);
        $this->processes[$port]->stop();
    }

    /** Starts it again, in its old role. */
    public function restart(int $port): void
    {
        $this->processes[$port] = $this->launch($port);
    }

    public function stop(): void
    {
        foreach ($this->processes as $process) {
            if ($process->pid() !== null) {
                posix_kill($process->pid(), \SIGCONT);
            }
            $process->stop(0.1);
        }
    }

    /**
     * Moves a slot with its keys, as redis-cli --cluster reshard does.
     *
     * @param \Closure(): void $halfway called when half of the keys have been moved
     */
    public function migrate(int $slot, int $from, int $to, ?\Closure $halfway = null): void
    {
        [$source, $target] = [
            (string) $this->text($from, 'CLUSTER', 'MYID'),
            (string) $this->text($to, 'CLUSTER', 'MYID'),
        ];
        $this->ask($to, 'CLUSTER', 'SETSLOT', (string) $slot, 'IMPORTING', $source);
        $this->ask($from, 'CLUSTER', 'SETSLOT', (string) $slot, 'MIGRATING', $target);
        $left = (int) $this->text($from, 'CLUSTER', 'COUNTKEYSINSLOT', (string) $slot);
        $half = intdiv($left, 2);
        while (
            ($names = $this->ask($from, 'CLUSTER', 'GETKEYSINSLOT', (string) $slot, '1')) !== [] && \is_array($names)
        ) {
            if ($left-- === $half && $halfway !== null) {
                $halfway();
            }
            $names = array_values(array_filter($names, is_string(...)));
            $this->ask(
                $from,
                'MIGRATE',
                Address::HOST,
                (string) $to,
                '',
                '0',
                '5000',
                'AUTH',
                self::PASSWORD,
                'KEYS',
                ...$names,
            );
        }
        foreach ([$to, $from] as $port) {
            $this->ask($port, 'CLUSTER', 'SETSLOT', (string) $slot, 'NODE', $target);
        }
    }

    /** @param \Closure(): bool $isSo */
    public static function await(\Closure $isSo): void
    {
        for ($end = microtime(true) + self::SECONDS; !$isSo();) {
            if (microtime(true) > $end) {
                throw new \RuntimeException(\sprintf('the servers were not ready within %g s', self::SECONDS));
            }
            usleep(20_000);
        }
    }

    public function awaitLink(int $replica): void
    {
        self::await(
            fn(): bool => str_contains((string) $this->text($replica, 'INFO', 'replication'), 'master_link_status:up'),
        );
    }

    public function text(int $port, string $command, string ...$arguments): ?string
    {
        $answer = $this->ask($port, $command, ...$arguments);

        return \is_scalar($answer) ? (string) $answer : null;
    }

    private function info(int $port): string
    {
        return (string) $this->text($port, 'CLUSTER', 'INFO');
    }

    private function busPort(int $port): int
    {
        return (int) $this->commands[$port][(int) array_search('--cluster-port', $this->commands[$port], true) + 1];
    }

    /** @param list<string> $options */
    private function start(array $options, string $sentinel = ''): int
    {
        $server = Executable::find(['redis-server', 'valkey-server'], 'redis-server')->path;
        [$process, $port] = Address::onFreePort(function (int $port) use ($server, $options, $sentinel): ServerProcess {
            $directory = \sprintf('%s/%d', $this->directory, $port);
            @mkdir($directory, 0o700);
            $common = [
                '--port', (string) $port, '--bind', Address::HOST, '--dir', $directory, '--daemonize', 'no',
                ...$this->tls($port),
            ];
            $this->commands[$port] = $sentinel === ''
                ? [
                    $server,
                    ...$common,
                    '--save',
                    '',
                    '--proto-max-bulk-len',
                    '1mb',
                    '--appendonly',
                    'no',
                    '--requirepass',
                    self::PASSWORD,
                    '--masterauth',
                    self::PASSWORD,
                    ...str_replace('{bus}', (string) Address::freePort(), $options),
                ]
                : [$server, $sentinel, '--sentinel', ...$common];

            return $this->launch($port);
        });
        $this->processes[$port] = $process;

        return $port;
    }

    /** @return list<string> options */
    private function tls(int $port): array
    {
        if ($this->ca === null) {
            return [];
        }
        [$certificate, $key] = $this->ca->issue();
        $this->tlsPorts[$port] = Address::freePort();

        return [
            '--tls-port', (string) $this->tlsPorts[$port], '--tls-cluster', 'yes', '--tls-replication', 'yes',
            '--tls-auth-clients', 'no',
            '--tls-cert-file', $certificate, '--tls-key-file', $key, '--tls-ca-cert-file', $this->ca->ca,
        ];
    }

    private function launch(int $port): ServerProcess
    {
        return ServerProcess::start(
            $this->commands[$port],
            \sprintf('%s/%d/log', $this->directory, $port),
            static function () use ($port): bool {
                try {
                    WireConnection::open(new ConnectionSettings(Endpoint::tcp(Address::HOST, $port)))->ask(['PING']);

                    return true;
                } catch (ServerGone $gone) {
                    return str_contains($gone->getMessage(), 'NOAUTH');
                }
            },
        );
    }
}
