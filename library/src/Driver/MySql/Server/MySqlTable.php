<?php

declare(strict_types=1);

namespace Larder\Driver\MySql\Server;

use Larder\Codec\Codec;
use Larder\Contract\RemoteStore;
use Larder\Key\Key;
use Larder\Key\NamespaceName;
use PDOException;

/** What the tables of all engines have in common: `larder_<namespace>_<engine>`, made when missing, read many keys at a time. */
abstract class MySqlTable implements RemoteStore
{
    /** A statement has 65,535 places at most. */
    protected const KEYS_AT_ONCE = 1000;
    /** InnoDB's code for a deadlock: this transaction was rolled back. */
    protected const DEADLOCK = 1213;

    private const TRIES_AFTER_DEADLOCKS = 10;

    protected readonly string $table;
    protected readonly MySqlConnection $connection;

    /** @param string $definition of the table's columns */
    protected function __construct(
        MySqlConnection $connection,
        string $engine,
        string $namespace,
        protected readonly Codec $codec,
        string $definition,
    ) {
        NamespaceName::check($namespace);
        $this->table = \sprintf('`larder_%s_%s`', $namespace, $engine);
        $this->connection = $connection->forTable($this->table, \sprintf('(%s) ENGINE=%s', $definition, $engine));
    }

    public function reach(): void
    {
        $this->connection->reach();
    }

    public function get(string $key, mixed $default = null): mixed
    {
        $bytes = $this->stored([$key])[$key] ?? null;

        return $bytes === null ? $default : $this->codec->decode($bytes, $key, $default);
    }

    public function getMany(array $keys, mixed $default = null): array
    {
        $stored = $values = [];
        foreach (array_chunk($keys, self::KEYS_AT_ONCE) as $some) {
            $stored += $this->stored($some);
        }
        foreach ($keys as $key) {
            $values[$key] = isset($stored[$key]) ? $this->codec->decode($stored[$key], $key, $default) : $default;
        }

        return $values;
    }

    public function has(string $key): bool
    {
        return isset($this->stored([$key])[$key]);
    }

    /** By name alone: of another key with the same hash a value goes too, as it does when one is stored. */
    public function deleteMany(array $keys): bool
    {
        array_map(Key::check(...), $keys);
        $all = true;
        foreach (array_chunk(array_map(self::name(...), $keys), self::KEYS_AT_ONCE) as $names) {
            $all = $this->changes(\sprintf('DELETE FROM %s WHERE name IN (?%s)', $this->table, str_repeat(', ?', \count($names) - 1)), $names) && $all;
        }

        return $all;
    }

    public function clear(): bool
    {
        return $this->connection->tries(\sprintf('DELETE FROM %s', $this->table));
    }

    /**
     * @param list<string> $keys KEYS_AT_ONCE at most
     * @return array<array-key, string> the codec's bytes by key, those found
     */
    abstract protected function stored(array $keys): array;

    /**
     * @param list<string|int|float|null> $parameters
     * @return bool false when the server refuses
     */
    protected function changes(string $sql, array $parameters): bool
    {
        for ($try = 1;; ++$try) {
            try {
                $this->connection->run($sql, $parameters);

                return true;
            } catch (PDOException $error) {
                if (($error->errorInfo[1] ?? null) !== self::DEADLOCK || $try === self::TRIES_AFTER_DEADLOCKS) {
                    return false;
                }
            }
        }
    }

    protected static function name(string $key): string
    {
        return hash('xxh128', $key, true);
    }
}
