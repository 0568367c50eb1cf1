<?php

declare(strict_types=1);

namespace Larder\Lab\Failover;

use Larder\Cli\System\TemporaryDirectory;
use Larder\Dsn\Endpoint;
use Larder\Internal\Driver\Redis\HashSlot;
use Larder\Internal\Driver\Redis\Phpredis;
use Larder\Internal\Driver\Redis\RedisStore;
use Larder\Internal\Driver\Redis\Topology\SlotMap;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Key\NamespaceName;
use Larder\Internal\Server\Credentials;
use Larder\Server\ConnectionSettings;
use Larder\Tests\Driver\Redis\Topology\RedisNodes;
use Larder\Tests\Server\Certificates;

/** An event on newly started servers while clients use them. */
enum Scenario: string
{
    case KillMaster = 'cluster: kill -9 a master';
    case StopMaster = 'cluster: a master stands still (SIGSTOP)';
    case Promote = 'cluster: promote a replica (CLUSTER FAILOVER)';
    case MoveSlots = 'cluster: move the slots of all keys of a master';
    case Join = 'cluster without replicas: a server joins, and takes the slots of all keys of a master';
    case Pause = 'cluster without replicas: a master stands still for 1.5 s';
    case Rotate = 'cluster: the password of the user rotates';
    case Expire = 'cluster by TLS: the certificate of a master has expired for 1 s';
    case KillWatched = 'sentinels: kill -9 the master';
    case StopWatched = 'sentinels: the master stands still (SIGSTOP)';
    case ReturnWatched = 'sentinels: the master stands still, and returns when another is in charge';
    case PromoteWatched = 'sentinels: promote a replica (SENTINEL FAILOVER)';
    case KillSentinel = 'sentinels: kill -9 a sentinel';

    public const NAMESPACE = 'failover';
    public const LARDER = 'Larder';
    public const PHPREDIS = 'phpredis alone';
    /** Controls: broken clients that must be noticed. */
    public const REPEATING = 'control: repeats increments';
    public const STALE = 'control: reads the old master';
    private const USER = 'shop';
    private const SECONDS = 60.0;

    public function isCluster(): bool
    {
        return str_starts_with($this->value, 'cluster');
    }

    public function start(TemporaryDirectory $directory): RedisNodes
    {
        $path = $directory->add(bin2hex(random_bytes(4)));

        return match (true) {
            $this === self::Join, $this === self::Pause => RedisNodes::cluster($path, 3),
            $this === self::Expire => RedisNodes::cluster($path, 3, 1, new Certificates($directory->add(bin2hex(random_bytes(4))))),
            $this === self::Rotate => self::withUser(RedisNodes::cluster($path, 3, 1)),
            $this->isCluster() => RedisNodes::cluster($path, 3, 1),
            default => RedisNodes::watched($path, 2, 3),
        };
    }

    public function dsn(RedisNodes $nodes): string
    {
        [$scheme, $login, $servers, $options] = match (true) {
            $this === self::Expire => ['rediss+cluster', ':' . RedisNodes::PASSWORD, $nodes->addresses(), '&tls_ca_file=' . $nodes->ca?->ca],
            $this === self::Rotate => ['redis+cluster', self::USER, $nodes->addresses(), '&password_file=' . self::passwordFile($nodes)],
            $this->isCluster() => ['redis+cluster', ':' . RedisNodes::PASSWORD, $nodes->addresses(), ''],
            default => ['redis+sentinel', ':' . RedisNodes::PASSWORD, $nodes->addresses($nodes->sentinels) . '/shop', ''],
        };

        return \sprintf('%s://%s@%s?namespace=%s%s', $scheme, $login, $servers, self::NAMESPACE, $options);
    }

    /** @return array<int, int> percent of the operations, by kind */
    public function shares(): array
    {
        // The server executes waiting operations later. With more increments among them, a repeated increment is more
        // likely to be noticed.
        [$reads, $writes, $increments, $leases] = $this === self::Pause ? [10, 5, 80, 5] : [50, 30, 10, 10];

        return [Load::GET => $reads, Load::SET => $writes, Load::COUNT => $increments, Load::ACQUIRE => $leases];
    }

    /**
     * @return float seconds within which all keys must be served again, once the servers accept writes. If another
     *         server takes over, clients know that at once. If the server itself was down, clients ask it again only
     *         after a pause. After a timeout that is five times the time of the failed call, which took a second
     */
    public function soon(): float
    {
        return match ($this) {
            self::Pause => 6.0,
            self::Expire => 2.5,
            default => 1.0,
        };
    }

    /** @return list<string> the clients of this scenario */
    public function clients(): array
    {
        return match ($this) {
            self::Pause => [self::LARDER, self::PHPREDIS, self::REPEATING],
            self::ReturnWatched => [self::LARDER, self::PHPREDIS, self::STALE],
            self::Expire => [self::LARDER], // phpredis 5.3.7 takes no CA for clusters
            default => [self::LARDER, self::PHPREDIS],
        };
    }

    public function client(string $who, RedisNodes $nodes): Client
    {
        $dsn = $this->dsn($nodes);

        return match ($who) {
            self::PHPREDIS => new PhpredisClient($this->phpredis($nodes), self::name('')),
            self::REPEATING => new RepeatingClient(new LarderClient($dsn)),
            self::STALE => new StaleClient(new LarderClient($dsn), new RedisStore(
                new Phpredis(new ConnectionSettings(Endpoint::tcp('127.0.0.1', $this->victim($nodes)), 0.05, 0.05, credentials: new Credentials('', RedisNodes::PASSWORD))),
                self::NAMESPACE,
            )),
            default => new LarderClient($dsn),
        };
    }

    /** @return \Closure(): (\Redis|\RedisCluster) */
    private function phpredis(RedisNodes $nodes): \Closure
    {
        if ($this->isCluster()) {
            $login = fn(): string|array => $this === self::Rotate ? [self::USER, (string) file_get_contents(self::passwordFile($nodes))] : RedisNodes::PASSWORD;

            return static fn(): \RedisCluster => new \RedisCluster(null, explode(',', $nodes->addresses()), 1.0, 1.0, false, $login());
        }

        return static function () use ($nodes): \Redis {
            foreach ($nodes->sentinels as $port) {
                try {
                    $master = (new \RedisSentinel('127.0.0.1', $port, 1.0, null, 0, 1.0))->getMasterAddrByName('shop');
                } catch (\RedisException) {
                    continue;
                }
                if (\is_array($master) && \is_string($master[0]) && is_numeric($master[1])) {
                    $client = new \Redis();
                    $client->connect($master[0], (int) $master[1], 1.0, null, 0, 1.0);
                    $client->auth(RedisNodes::PASSWORD);

                    return $client;
                }
            }

            throw new \RedisException('no sentinel names a master');
        };
    }

    /** @return \Closure(string): bool true if the event affects the key */
    public function concerns(RedisNodes $nodes, int $victim): \Closure
    {
        $map = $this->isCluster() && $this !== self::Rotate ? self::map($nodes, $victim) : null;

        return static fn(string $key): bool => $map === null || $map->master(self::name($key)) === '127.0.0.1:' . $victim;
    }

    /** @return int port of the affected server */
    public function victim(RedisNodes $nodes): int
    {
        return $nodes->ports()[0]; // a master
    }

    /**
     * Triggers the event.
     *
     * @return float time when a responsible server accepts writes again, by Load::now()
     */
    public function happen(RedisNodes $nodes, int $victim): float
    {
        $replica = $nodes->ports()[3] ?? $nodes->ports()[1];
        match ($this) {
            self::KillMaster, self::KillWatched => $nodes->kill($victim),
            self::StopMaster, self::StopWatched, self::ReturnWatched => posix_kill($nodes->pid($victim), \SIGSTOP),
            self::Promote => $nodes->ask($replica, 'CLUSTER', 'FAILOVER'),
            self::PromoteWatched => $nodes->ask($nodes->sentinels[0], 'SENTINEL', 'FAILOVER', 'shop'),
            self::KillSentinel => $nodes->kill($nodes->sentinels[0]),
            self::MoveSlots => $this->move($nodes, $victim, $nodes->ports()[1]),
            self::Join => $this->move($nodes, $victim, $nodes->join()),
            self::Pause => $this->pause($nodes->pid($victim)),
            self::Rotate => $this->rotate($nodes),
            self::Expire => $this->expire($nodes, $victim),
        };
        if (\in_array($this, [self::MoveSlots, self::Join, self::KillSentinel, self::Pause, self::Rotate, self::Expire], true)) {
            return Load::now();
        }
        for ($end = Load::now() + self::SECONDS; Load::now() < $end; usleep(2_000)) {
            foreach ($nodes->ports() as $port) {
                if ($port !== $victim && $this->isInCharge($nodes, $port)) {
                    posix_kill($nodes->pid($victim), $this === self::ReturnWatched ? \SIGCONT : 0);

                    return Load::now();
                }
            }
        }

        throw new \RuntimeException('no other server took over');
    }

    public static function name(string $key): string
    {
        return NamespaceName::prefix(self::NAMESPACE) . $key;
    }

    /** True if the server accepts writes in the victim's place, and clients can find that out. */
    private function isInCharge(RedisNodes $nodes, int $port): bool
    {
        try {
            if (!$this->isCluster()) {
                $named = $nodes->ask($nodes->sentinels[1], 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'shop');

                return \is_array($named) && $named[1] === (string) $port && $nodes->ask($port, 'SET', 'probe', '1') === 'OK';
            }

            return $nodes->ask($port, 'SET', '{' . self::probe() . '}', '1') === 'OK';
        } catch (ServerGone) {
            return false;
        }
    }

    /** @return string a key in a slot that the first master has at the start */
    private static function probe(): string
    {
        for ($i = 0;; ++$i) {
            if (HashSlot::of("probe$i") < 5000) {
                return "probe$i";
            }
        }
    }

    private function pause(int $process): void
    {
        posix_kill($process, \SIGSTOP);
        usleep(1_500_000);
        posix_kill($process, \SIGCONT);
    }

    /** Rotates as documented: the servers accept both passwords until the file has the new one. */
    private function rotate(RedisNodes $nodes): void
    {
        $old = (string) file_get_contents(self::passwordFile($nodes));
        $new = bin2hex(random_bytes(8));
        $each = static function (string ...$command) use ($nodes): void {
            foreach ($nodes->ports() as $port) {
                $nodes->ask($port, ...$command);
            }
        };
        $each('ACL', 'SETUSER', self::USER, '>' . $new);
        file_put_contents(self::passwordFile($nodes), $new);
        $each('ACL', 'SETUSER', self::USER, '<' . $old);
        $each('CLIENT', 'KILL', 'USER', self::USER);
    }

    private function expire(RedisNodes $nodes, int $victim): void
    {
        $ca = $nodes->ca ?? throw new \LogicException('these servers speak no TLS');
        foreach ([$ca->issue(days: 0), $ca->issue()] as $i => [$certificate, $key]) {
            usleep($i * 1_000_000);
            $nodes->ask($victim, 'CONFIG', 'SET', 'tls-cert-file', $certificate, 'tls-key-file', $key);
            $nodes->ask($victim, 'CLIENT', 'KILL', 'TYPE', 'normal');
        }
    }

    private static function withUser(RedisNodes $nodes): RedisNodes
    {
        file_put_contents(self::passwordFile($nodes), 'old');
        foreach ($nodes->ports() as $port) {
            $nodes->ask($port, 'ACL', 'SETUSER', self::USER, 'on', '~*', '+@all', '>old');
        }

        return $nodes;
    }

    private static function passwordFile(RedisNodes $nodes): string
    {
        return $nodes->directory . '/password';
    }

    private function move(RedisNodes $nodes, int $from, int $to): void
    {
        $map = self::map($nodes, $from);
        $slots = [];
        for ($process = 0; $process < Outcomes::PROCESSES; ++$process) {
            for ($i = 0; $i < Load::KEYS; ++$i) {
                $name = self::name(Load::key($process, $i));
                if ($map->master($name) === '127.0.0.1:' . $from) {
                    $slots[HashSlot::of($name)] = true;
                }
            }
        }
        foreach (array_keys($slots) as $slot) {
            $nodes->migrate($slot, $from, $to);
        }
    }

    private static function map(RedisNodes $nodes, int $port): SlotMap
    {
        return SlotMap::ofAnswer($nodes->ask($port, 'CLUSTER', 'SLOTS'), '127.0.0.1') ?? throw new \RuntimeException('no slots');
    }
}
