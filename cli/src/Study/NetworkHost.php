<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

use Larder\Cli\Measure\Unavailable;
use Larder\Cli\Server\ServerProcess;
use Larder\Cli\System\Executable;
use Larder\Cli\System\Php;
use Larder\Cli\System\ServerFailed;
use Symfony\Component\Process\Process;

/**
 * A second host: a network namespace of this kernel, connected by a virtual cable. tbf limits the cable's rate, and
 * netem delays it. If the kernel has no netem, a Relay in the namespace delays. Servers run inside.
 *
 * It ends with close() and with this object. Its name contains the process that created it, so the next run removes
 * what a killed run has left.
 */
final class NetworkHost
{
    public const ROUND_TRIP_MICROSECONDS = 500;

    private const NAME = '~^larder-(\d+)-(\d+)$~D';
    private const NAMESPACES = '/run/netns';

    /** Bytes of one packet. With a larger burst, a value of 20 KB would pass at once. */
    private const BURST = 1600;
    private const PORTS = ['redis' => 6379, 'memcached' => 11211];

    /** @var list<ServerProcess> */
    private array $processes = [];

    private bool $isOpen = true;

    /** @param string $cable name of this side's end */
    private function __construct(
        private readonly string $name,
        private readonly string $cable,
        private readonly string $address,
        private readonly bool $hasNetem,
    ) {}

    /** @throws Unavailable if it is not possible here */
    public static function start(): self
    {
        if (posix_geteuid() !== 0) {
            throw new Unavailable('a second host in a network namespace needs root. To measure it: run as root');
        }
        self::removeLeftovers();
        $name = \sprintf('larder-%d-%s', getmypid(), self::startOf((int) getmypid()));
        $cable = 'larder' . bin2hex(random_bytes(4));
        // 198.18.0.0/15 is for benchmarks (RFC 2544).
        $network = \sprintf('198.18.%d.%d', random_int(0, 255), 4 * random_int(0, 62));
        $ours = preg_replace_callback(
            '/\d+$/',
            static fn(array $last): string => (string) ((int) $last[0] + 1),
            $network,
        );
        $theirs = (string) preg_replace_callback(
            '/\d+$/',
            static fn(array $last): string => (string) ((int) $last[0] + 2),
            $network,
        );

        try {
            self::do(['ip', 'netns', 'add', $name]);
            self::do(['ip', 'link', 'add', $cable, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', $name]);
            self::do(['ip', 'address', 'add', $ours . '/30', 'dev', $cable]);
            self::do(['ip', 'link', 'set', $cable, 'up']);
            self::do(['ip', '-n', $name, 'address', 'add', $theirs . '/30', 'dev', 'eth0']);
            self::do(['ip', '-n', $name, 'link', 'set', 'eth0', 'up']);
            self::do(['ip', '-n', $name, 'link', 'set', 'lo', 'up']);
            $host = new self($name, $cable, $theirs, self::hasNetem($name));
            $host->limit('100mbit');
        } catch (\Throwable $failed) { // a signal handler may throw anywhere, and nobody has this object yet
            self::remove($name);

            throw $failed;
        }

        return $host;
    }

    public function __destruct()
    {
        $this->close();
    }

    /** The method of the delay, for display. */
    public function delay(): string
    {
        return \sprintf(
            '%.1f ms for a round trip, by %s',
            self::ROUND_TRIP_MICROSECONDS / 1000,
            $this->hasNetem ? 'netem' : 'a relay, as this kernel has no netem',
        );
    }

    /** @param string $rate of the cable, in both directions, as tc takes it: "100mbit" */
    public function limit(string $rate): void
    {
        foreach ([[], ['-n', $this->name]] as $inside) {
            $device = $inside === [] ? $this->cable : 'eth0';
            self::do([
                'tc', ...$inside, 'qdisc', 'replace', 'dev', $device, 'root', 'handle', '1:', 'tbf', 'rate', $rate,
                'burst', (string) self::BURST, 'limit', '4mb',
            ]);
            if ($this->hasNetem) {
                self::do([
                    'tc',
                    ...$inside,
                    'qdisc',
                    'replace',
                    'dev',
                    $device,
                    'parent',
                    '1:1',
                    'handle',
                    '10:',
                    'netem',
                    'delay',
                    intdiv(self::ROUND_TRIP_MICROSECONDS, 2) . 'us',
                ]);
            }
        }
    }

    /**
     * Starts the servers.
     *
     * @return array<string, string> their host and port, by "redis" and "memcached"
     * @throws ServerFailed
     */
    public function startServers(string $directory): array
    {
        $bind = $this->hasNetem ? $this->address : '127.0.0.1';
        $inside = [Executable::find(['ip'], 'iproute2')->path, 'netns', 'exec', $this->name];
        $commands = [
            'redis' => [
                Executable::find(['redis-server', 'valkey-server'], 'redis-server')->path, '--bind', $bind, '--port',
                (string) self::PORTS['redis'],
                '--protected-mode', 'no', '--dir', $directory, '--save', '', '--appendonly', 'no', '--daemonize', 'no',
            ],
            'memcached' => [Executable::find([
                'memcached',
            ], 'memcached')->path, '-U', '0', '-u', 'root', '-l', $bind, '-p', (string) self::PORTS['memcached']],
        ];
        if (!$this->hasNetem) {
            $this->processes[] = ServerProcess::start(
                [...$inside, ...(new Php())->command([
                    \dirname(__DIR__, 2) . '/bin/relay.php',
                    $this->address,
                    (string) intdiv(self::ROUND_TRIP_MICROSECONDS, 2),
                    ...array_map(strval(...), array_values(self::PORTS)),
                ])],
                $directory . '/relay.log',
                fn(): bool => $this->answers('memcached', '', ''),
            );
        }
        foreach ($commands as $server => $command) {
            [$question, $answer] = $server === 'redis' ? ["PING\r\n", '+PONG'] : ["version\r\n", 'VERSION'];
            $this->processes[] = ServerProcess::start(
                [...$inside, ...$command],
                \sprintf('%s/%s-network.log', $directory, $server),
                fn(): bool => $this->answers($server, $question, $answer),
            );
        }

        return array_map(fn(int $port): string => \sprintf('%s:%d', $this->address, $port), self::PORTS);
    }

    public function close(): void
    {
        if (!$this->isOpen) {
            return;
        }
        $this->isOpen = false;
        foreach ($this->processes as $process) {
            $process->stop();
        }
        $this->processes = [];
        self::remove($this->name);
    }

    private function answers(string $server, string $question, string $answer): bool
    {
        $stream = @stream_socket_client(\sprintf('tcp://%s:%d', $this->address, self::PORTS[$server]), timeout: 1.0);
        if ($stream === false) {
            return false;
        }
        stream_set_timeout($stream, 1);
        if ($question !== '') {
            fwrite($stream, $question);
        }
        $read = $answer === '' ? '' : (string) fread($stream, 1024);
        fclose($stream);

        return str_starts_with($read, $answer);
    }

    /** True if the kernel has netem, or can load it. */
    private static function hasNetem(string $name): bool
    {
        return self::run(['tc', '-n', $name, 'qdisc', 'add', 'dev', 'eth0', 'root', 'netem', 'delay', '1us'])
            ->isSuccessful()
            && self::run(['tc', '-n', $name, 'qdisc', 'del', 'dev', 'eth0', 'root'])->isSuccessful();
    }

    private static function removeLeftovers(): void
    {
        $names = @scandir(self::NAMESPACES);
        foreach ($names === false ? [] : $names as $name) {
            if (preg_match(self::NAME, $name, $match) === 1 && self::startOf((int) $match[1]) !== $match[2]) {
                self::remove($name);
            }
        }
    }

    /** Removing the namespace removes the cable too, since the other end is in it. */
    private static function remove(string $name): void
    {
        self::run(['ip', 'netns', 'delete', $name]);
    }

    /**
     * Start time of a process, in ticks since boot. It distinguishes the process from a later one with the same number.
     */
    private static function startOf(int $process): string
    {
        $stat = (string) @file_get_contents(\sprintf('/proc/%d/stat', $process));

        // The name, in parentheses, may have spaces; the start is the 22nd field.
        return explode(' ', substr($stat, (int) strrpos($stat, ')') + 2))[19] ?? '';
    }

    /**
     * @param list<string> $command
     * @throws Unavailable
     */
    private static function do(array $command): void
    {
        $process = self::run($command);
        if (!$process->isSuccessful()) {
            throw new Unavailable(\sprintf(
                'a second host cannot be made: %s: %s',
                implode(' ', $command),
                trim($process->getErrorOutput()),
            ));
        }
    }

    /**
     * @param list<string> $command
     * @throws Unavailable
     */
    private static function run(array $command): Process
    {
        try {
            $command[0] = Executable::find([$command[0]], 'iproute2')->path;
        } catch (ServerFailed $missing) {
            throw new Unavailable('a second host needs iproute2: ' . $missing->getMessage());
        }
        $process = new Process($command);
        $process->run();

        return $process;
    }
}
