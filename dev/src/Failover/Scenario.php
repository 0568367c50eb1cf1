<?php

declare(strict_types=1);

namespace Larder\Dev\Failover;

use Larder\Cli\TemporaryDirectory;
use Larder\Driver\Redis\RedisProtocol;
use Larder\Driver\Redis\Topology\HashSlot;
use Larder\Driver\Redis\Topology\SlotMap;
use Larder\Driver\Redis\Wire\ServerGone;
use Larder\Tests\Driver\Redis\Topology\RedisNodes;

/** Something that happens to new servers while clients use them. */
enum Scenario: string
{
    case KillMaster = 'cluster: kill -9 a master';
    case StopMaster = 'cluster: a master stands still (SIGSTOP)';
    case Promote = 'cluster: promote a replica (CLUSTER FAILOVER)';
    case MoveSlots = 'cluster: move the slots of all keys of a master';
    case KillWatched = 'sentinels: kill -9 the master';
    case StopWatched = 'sentinels: the master stands still (SIGSTOP)';
    case PromoteWatched = 'sentinels: promote a replica (SENTINEL FAILOVER)';
    case KillSentinel = 'sentinels: kill -9 a sentinel';

    public const NAMESPACE = 'failover';
    private const SECONDS = 60.0;

    public function isCluster(): bool
    {
        return str_starts_with($this->value, 'cluster');
    }

    public function start(TemporaryDirectory $directory): RedisNodes
    {
        $path = $directory->add(bin2hex(random_bytes(4)));

        return $this->isCluster() ? RedisNodes::cluster($path, 3, 1) : RedisNodes::watched($path, 2, 3);
    }

    public function dsn(RedisNodes $nodes): string
    {
        return $this->isCluster()
            ? \sprintf('redis+cluster://:%s@%s?namespace=%s', RedisNodes::PASSWORD, $nodes->addresses(), self::NAMESPACE)
            : \sprintf('redis+sentinel://:%s@%s/shop?namespace=%s', RedisNodes::PASSWORD, $nodes->addresses($nodes->sentinels), self::NAMESPACE);
    }

    /** @return \Closure(): (\Redis|\RedisCluster) */
    public function phpredis(RedisNodes $nodes): \Closure
    {
        if ($this->isCluster()) {
            return static fn(): \RedisCluster => new \RedisCluster(null, explode(',', $nodes->addresses()), 1.0, 1.0, false, RedisNodes::PASSWORD);
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

    /** @return \Closure(string): bool whether a key is one of those that it happens to */
    public function concerns(RedisNodes $nodes, int $victim): \Closure
    {
        $map = $this->isCluster() ? self::map($nodes, $victim) : null;

        return static fn(string $key): bool => $map === null || $map->master(self::name($key)) === '127.0.0.1:' . $victim;
    }

    /** @return int the port of the server to which it happens */
    public function victim(RedisNodes $nodes): int
    {
        return $nodes->ports()[0]; // a master
    }

    /**
     * Makes it happen.
     *
     * @return float when a server that is in charge takes writes again; by Load::now()
     */
    public function happen(RedisNodes $nodes, int $victim): float
    {
        $replica = $nodes->ports()[3] ?? $nodes->ports()[1];
        match ($this) {
            self::KillMaster, self::KillWatched => $nodes->kill($victim),
            self::StopMaster, self::StopWatched => posix_kill($nodes->pid($victim), \SIGSTOP),
            self::Promote => $nodes->ask($replica, 'CLUSTER', 'FAILOVER'),
            self::PromoteWatched => $nodes->ask($nodes->sentinels[0], 'SENTINEL', 'FAILOVER', 'shop'),
            self::KillSentinel => $nodes->kill($nodes->sentinels[0]),
            self::MoveSlots => $this->move($nodes, $victim, $nodes->ports()[1]),
        };
        if ($this === self::MoveSlots || $this === self::KillSentinel) {
            return Load::now();
        }
        for ($end = Load::now() + self::SECONDS; Load::now() < $end; usleep(2_000)) {
            foreach ($nodes->ports() as $port) {
                if ($port !== $victim && $this->isInCharge($nodes, $port)) {
                    return Load::now();
                }
            }
        }

        throw new \RuntimeException('no other server took over');
    }

    public static function name(string $key): string
    {
        return RedisProtocol::prefix(self::NAMESPACE) . $key;
    }

    /** Whether it takes the writes of the victim, and the clients can know. */
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

    /** @return string of a slot that the first master has at first */
    private static function probe(): string
    {
        for ($i = 0;; ++$i) {
            if (HashSlot::of("probe$i") < 5000) {
                return "probe$i";
            }
        }
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
