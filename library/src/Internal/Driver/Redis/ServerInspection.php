<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Dsn\Dsn;
use Larder\Internal\Driver\ExaminesServers;
use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Driver\Redis\Wire\WireConnection;
use Larder\Internal\Driver\Remark;
use Larder\Internal\Key\NamespaceName;
use Larder\Server\ConnectionSettings;

/** Reads the settings of a Redis or Valkey server, and reports what they mean for a cache. */
final class ServerInspection
{
    private const MEBIBYTE = 1 << 20;

    /** @param array<string, string> $info by name, as from INFO */
    private function __construct(private readonly array $info, private readonly string $save) {}

    /** @return list<Remark> of all servers to which values are written */
    public static function ofAll(ExaminesServers $driver, Dsn $dsn, ?ServerRole $role): array
    {
        try {
            $servers = $driver->written($dsn)();
        } catch (ServerGone) {
            return []; // opening the store reports the reason
        }
        $remarks = [];
        foreach ($servers as $server) {
            foreach (self::of(
                $server,
                NamespaceName::prefix($dsn->namespace()),
                $role,
                ($dsn->options['database'] ?? '0') !== '0',
            ) as $remark) {
                $remarks[] = \count($servers) === 1
                    ? $remark
                    : new Remark(\sprintf('%s: %s', $server->endpoint, $remark->what), $remark->how);
            }
        }

        return $remarks;
    }

    /** @return list<Remark> */
    private static function of(ConnectionSettings $server, string $prefix, ?ServerRole $role, bool $hasDatabases): array
    {
        try {
            $connection = WireConnection::open($server);
            $rights = Rights::missing($connection, $prefix, $role, $hasDatabases);
        } catch (ServerGone) {
            return [];
        }

        try {
            $info = $connection->ask(['INFO']);
        } catch (ServerGone) {
            return [
                ...$rights,
                new Remark(
                    'this user may not see how the server is set up',
                    'So that the doctor can: ACL SETUSER <user> +info',
                ),
            ];
        }
        preg_match_all('/^(\w+):(.*?)\r?$/m', \is_string($info) ? $info : '', $lines);

        try {
            $save = $connection->ask(['CONFIG', 'GET', 'save']);
        } catch (ServerGone) {
            $save = []; // many providers do not allow this command
        }
        $examination = new self(
            array_combine($lines[1], $lines[2]),
            \is_array($save) && \is_string($save[1] ?? null) ? $save[1] : '',
        );

        return [...$rights, ...$examination->remarks()];
    }

    /** @return list<Remark> */
    private function remarks(): array
    {
        return array_values(array_filter([
            $this->memory(), $this->eviction(), $this->role(), $this->log(), $this->snapshots(), $this->lastSnapshot(),
        ]));
    }

    private function memory(): Remark
    {
        [$used, $most] = array_map(
            fn(string $name): string => \sprintf('%.1f MiB', $this->number($name) / self::MEBIBYTE),
            ['used_memory', 'maxmemory'],
        );
        $name = isset($this->info['valkey_version'])
            ? 'Valkey ' . $this->info['valkey_version']
            : 'Redis ' . ($this->info['redis_version'] ?? '');
        if ($this->number('maxmemory') === 0) {
            return new Remark(
                "$name: $used used, and no limit: it grows until the machine has no memory left",
                'Set maxmemory, and maxmemory-policy allkeys-lru or allkeys-lfu',
            );
        }

        return new Remark(
            "$name: $used of $most used, maxmemory-policy {$this->policy()}, {$this->number('evicted_keys')} "
                . 'keys evicted since it started',
        );
    }

    private function eviction(): ?Remark
    {
        $policy = $this->policy();

        return match (true) {
            $this->number('maxmemory') === 0, $policy === 'allkeys-lru', $policy === 'allkeys-lfu' => null,
            $policy === 'noeviction' => new Remark(
                'maxmemory-policy noeviction: when the memory is full, set() returns false and deletes the old value',
                'Set maxmemory-policy allkeys-lru or allkeys-lfu',
            ),
            str_starts_with($policy, 'volatile-') => new Remark(
                \sprintf(
                    'maxmemory-policy %s: only keys with a ttl are evicted, %s; '
                        . 'when there are none, set() returns false',
                    $policy,
                    $this->keys(),
                ),
                'Set maxmemory-policy allkeys-lru or allkeys-lfu, or give every value a ttl',
            ),
            default => new Remark(
                \sprintf('maxmemory-policy %s: it evicts what is used as readily as what is not', $policy),
                'Set maxmemory-policy allkeys-lru or allkeys-lfu',
            ),
        };
    }

    private function role(): ?Remark
    {
        return ($this->info['role'] ?? '') === 'slave' ? new Remark(
            'it is a replica: it refuses writes',
            'Name its master, or the sentinels: redis+sentinel://…/name',
        ) : null;
    }

    private function log(): ?Remark
    {
        return $this->number('aof_enabled') === 1
            ? new Remark('appendonly yes: each write goes to disk too', 'A cache needs no log: appendonly no')
            : null;
    }

    private function snapshots(): ?Remark
    {
        return $this->save === '' ? null : new Remark(
            \sprintf(
                'save %s: a snapshot may take as much memory again, '
                    . 'and after a crash entries are back that were deleted since the last one',
                $this->save,
            ),
            'A cache needs no snapshots: save ""',
        );
    }

    private function lastSnapshot(): ?Remark
    {
        return ($this->info['rdb_last_bgsave_status'] ?? 'ok') !== 'ok'
            ? new Remark(
                'its last snapshot failed, so it may refuse all writes (MISCONF)',
                'Its log says why. A cache needs no snapshots: save ""',
            )
            : null;
    }

    private function policy(): string
    {
        return $this->info['maxmemory_policy'] ?? 'unknown';
    }

    /** @return string such as "3 of 1000 keys now" */
    private function keys(): string
    {
        $all = $expiring = 0;
        foreach ($this->info as $name => $value) {
            if (
                preg_match('/^db\d+$/', $name) === 1 && preg_match('/keys=(\d+),expires=(\d+)/', $value, $counts) === 1
            ) {
                $all += (int) $counts[1];
                $expiring += (int) $counts[2];
            }
        }

        return "$expiring of $all keys now";
    }

    private function number(string $name): int
    {
        return (int) ($this->info[$name] ?? 0);
    }
}
