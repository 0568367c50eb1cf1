<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Redis;

use Larder\Internal\Driver\Redis\Wire\ServerGone;
use Larder\Internal\Driver\Redis\Wire\WireConnection;
use Larder\Internal\Driver\Remark;
use Larder\Internal\Key\NamespaceName;

/** The rights that an ACL user needs. docs/stores.md lists them. */
final class Rights
{
    /** The commands for every server. "name" stands for the name of an entry that does not exist. */
    private const COMMANDS = [
        'GET' => ['name'],
        'MGET' => ['name'],
        'SET' => ['name', '', 'PX', '1000'],
        'PSETEX' => ['name', '1000', ''],
        'EXISTS' => ['name'],
        'UNLINK' => ['name'],
        'DEL' => ['name'],
        'SCAN' => ['0', 'MATCH', 'name', 'COUNT', '1'],
        'PING' => [],
        'PTTL' => ['name'],
        'PEXPIRE' => ['name', '1000'],
        'PERSIST' => ['name'],
        'INCRBY' => ['name', '0'],
        'EVALSHA' => ['da39a3ee5e6b4b0d3255bfef95601890afd80709', '1', 'name'],
        'EVAL' => ['return 0', '1', 'name'],
    ];

    /** Further commands for another database than 0. */
    private const OF_DATABASES = [
        'SELECT' => ['0'],
    ];

    /** Further commands for a server of a cluster, which never receives keys of several slots (MGET). */
    private const OF_CLUSTERS = [
        'CLUSTER|SLOTS' => [],
        'ASKING' => [],
        'READONLY' => [],
    ];

    /** Further commands for a server that sentinels watch. */
    private const OF_SENTINELS = [
        'ROLE' => [],
    ];

    /**
     * @param bool $hasDatabases true if the DSN names another database than 0
     * @return array<string, list<string>> the commands, named as in ACLs, and their arguments
     */
    public static function commands(?ServerRole $role, bool $hasDatabases = false): array
    {
        return [
            ...match (true) {
                $role?->hasSlots() === true
                    => [...array_diff_key(self::COMMANDS, ['MGET' => true]), ...self::OF_CLUSTERS],
                $role !== null => [...self::COMMANDS, ...self::OF_SENTINELS],
                default => self::COMMANDS,
            },
            ...($hasDatabases ? self::OF_DATABASES : []),
        ];
    }

    /**
     * Tries each command with the name of an entry that does not exist, and removes it.
     *
     * @param string $prefix of names
     * @return list<Remark> one remark if a right is missing
     * @throws ServerGone
     */
    public static function missing(
        WireConnection $connection,
        string $prefix,
        ?ServerRole $role,
        bool $hasDatabases,
    ): array {
        $name = $prefix . 'larder-doctor-' . bin2hex(random_bytes(8));
        $commands = [];
        $hasKeys = true;
        foreach (self::commands($role, $hasDatabases) as $command => $arguments) {
            $error = self::refusal($connection, [
                ...explode('|', $command),
                ...array_map(static fn(string $word): string => $word === 'name' ? $name : $word, $arguments),
            ]);
            if (preg_match('/NOPERM .*\bkeys?\b/', $error) === 1) {
                $hasKeys = false;
            } elseif (str_contains($error, 'NOPERM ')) {
                $commands[] = $command;
            }
        }
        foreach (['UNLINK', 'DEL'] as $command) {
            self::refusal($connection, [$command, $name]);
        }
        if ($commands === [] && $hasKeys) {
            return [];
        }
        $rights = [
            ...array_map(static fn(string $command): string => '+' . strtolower($command), $commands),
            ...($hasKeys ? [] : ['~' . rtrim(NamespaceName::prefix('*'), ':')]),
        ];

        return [new Remark(
            \sprintf('this user may not %s', implode(' and ', [
                ...($commands === [] ? [] : ['use ' . implode(', ', $commands)]),
                ...($hasKeys ? [] : ['use the keys of the cache']),
            ])),
            'ACL SETUSER <user> ' . implode(' ', $rights),
        )];
    }

    /**
     * @param non-empty-list<string> $words
     * @return string empty if the server executes it
     */
    private static function refusal(WireConnection $connection, array $words): string
    {
        try {
            $connection->ask($words);
        } catch (ServerGone $refusal) {
            return str_contains($refusal->getMessage(), ' refuses ') ? $refusal->getMessage() : throw $refusal;
        }

        return '';
    }
}
