<?php

declare(strict_types=1);

namespace Larder\ProjectTests\Tiers;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Cli\System\TiedProcess;
use Symfony\Component\Process\Process;

/**
 * A server and hosts that are connected by wires only. Each is a network namespace, and each host has its own segment
 * of the engine. Needs root, iproute2, redis-server and redis-cli.
 */
final class Network
{
    public const PORT = 6379;

    private readonly TemporaryDirectory $directory;
    private readonly string $name;
    private ?Process $server = null;

    /** @var list<string> namespaces */
    private array $namespaces = [];

    public function __construct()
    {
        $this->directory = new TemporaryDirectory('/dev/shm');
        $this->name = 'larder' . bin2hex(random_bytes(3));
        $this->ip('netns', 'add', $this->namespaces[] = $this->name . 's');
        $this->ip('-n', $this->name . 's', 'link', 'set', 'lo', 'up');
    }

    /** @return string|null reason why a network cannot be created here; null if it can */
    public static function whyNot(): ?string
    {
        if (posix_geteuid() !== 0) {
            return 'network namespaces are made by root';
        }
        $name = 'larder' . bin2hex(random_bytes(3));
        $try = Process::fromShellCommandline(\sprintf('for program in ip redis-server redis-cli; do command -v $program >/dev/null || { echo "$program is missing" >&2; exit 1; }; done; ip netns add %1$s && ip -n %1$s link add %1$s type veth peer name %1$sp; status=$?; ip netns del %1$s; exit $status', $name));

        return $try->run() === 0 ? null : 'no hosts in network namespaces here: ' . trim($try->getErrorOutput());
    }

    public function startServer(): void
    {
        $command = ['ip', 'netns', 'exec', $this->name . 's', 'redis-server', '--bind', '0.0.0.0', '--protected-mode', 'no', '--port', (string) self::PORT, '--save', '', '--dir', $this->directory->path];
        $this->server = new Process(TiedProcess::toThisProcess($command), timeout: null);
        $this->server->start();
        $redis = ['ip', 'netns', 'exec', $this->name . 's', 'redis-cli', '-p', (string) self::PORT, 'PING'];
        for ($end = microtime(true) + 60; (new Process($redis))->run() !== 0; usleep(10_000)) {
            if (microtime(true) > $end || !$this->server->isRunning()) {
                throw new \RuntimeException('the server did not start: ' . $this->server->getOutput());
            }
        }
    }

    public function stopServer(): void
    {
        $this->server?->stop(5.0);
        $this->server = null;
    }

    /** Queries the server as an operator would. */
    public function atServer(string ...$words): string
    {
        $process = new Process(['ip', 'netns', 'exec', $this->name . 's', 'redis-cli', '-p', (string) self::PORT, ...$words]);
        $process->mustRun();

        return $process->getOutput();
    }

    /** Adds a host with a wire to the server. */
    public function addHost(): Host
    {
        $number = \count($this->namespaces);
        $namespace = $this->namespaces[] = $this->name . 'h' . $number;
        $this->ip('netns', 'add', $namespace);
        $this->ip('-n', $namespace, 'link', 'add', 'wire', 'type', 'veth', 'peer', 'name', 'wire' . $number, 'netns', $this->name . 's');
        $this->ip('-n', $namespace, 'addr', 'add', "10.231.$number.2/24", 'dev', 'wire');
        $this->ip('-n', $this->name . 's', 'addr', 'add', "10.231.$number.1/24", 'dev', 'wire' . $number);
        $this->ip('-n', $namespace, 'link', 'set', 'wire', 'up');
        $this->ip('-n', $this->name . 's', 'link', 'set', 'wire' . $number, 'up');

        return new Host($namespace, "10.231.$number.1:" . self::PORT, $this->directory->add('host' . $number));
    }

    public function remove(): void
    {
        $this->stopServer();
        foreach ($this->namespaces as $namespace) {
            (new Process(['ip', 'netns', 'del', $namespace]))->run();
        }
        $this->directory->remove();
    }

    private function ip(string ...$words): void
    {
        (new Process(['ip', ...$words]))->mustRun();
    }
}
