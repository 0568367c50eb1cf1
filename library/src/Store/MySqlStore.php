<?php

declare(strict_types=1);

namespace Larder\Store;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Exception\StoreUnavailable;
use PDO;
use PDOException;

/**
 * A table of a MySQL or MariaDB server with one row a value, by the engine InnoDB or MyISAM. Each operation is one
 * statement, which both engines carry out whole. The server's max_allowed_packet limits a value. What has expired keeps
 * its row until it is written over, deleted or cleared.
 */
final class MySqlStore extends MySqlTable
{
    /**
     * @param 'innodb'|'myisam' $engine
     * @throws StoreUnavailable
     */
    public function __construct(MySqlConnection $connection, string $engine = 'innodb', string $namespace = 'larder', Codec $codec = new PhpCodec())
    {
        parent::__construct($connection, $engine, $namespace, $codec, 'name BINARY(16) NOT NULL PRIMARY KEY,'
            . ' full_key BLOB NOT NULL, value LONGBLOB NOT NULL, expires DOUBLE NOT NULL');
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        if ($this->write([$key], [$this->codec->encode($value)], Ttl::until($ttl))) {
            return true;
        }
        $this->delete($key);

        return false;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $keys = Key::of($values);
        $encoded = array_map($this->codec->encode(...), array_values($values));
        if ($keys === [] || $this->write($keys, $encoded, $until)) {
            return true;
        }
        // Together they may be too much for one packet.
        $all = true;
        foreach ($keys as $i => $key) {
            if (!$this->write([$key], [$encoded[$i]], $until)) {
                $this->delete($key);
                $all = false;
            }
        }

        return $all;
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        return $this->connection->tries(\sprintf('DELETE FROM %s WHERE name = ? AND full_key = ?', $this->table), [self::name($key), $key]);
    }

    protected function stored(array $keys): array
    {
        array_map(Key::check(...), $keys);
        if ($keys === []) {
            return [];
        }

        try {
            $rows = $this->connection->run(\sprintf(
                'SELECT full_key, value FROM %s WHERE name IN (?%s) AND (expires = 0 OR expires > ?)',
                $this->table,
                str_repeat(', ?', \count($keys) - 1),
            ), [...array_map(self::name(...), $keys), microtime(true)]);
            /** @var array<array-key, string> $stored */
            $stored = $rows->fetchAll(PDO::FETCH_KEY_PAIR);
        } catch (PDOException) {
            return [];
        }

        return $stored;
    }

    /**
     * @param non-empty-list<string> $keys
     * @param list<string> $encoded
     */
    private function write(array $keys, array $encoded, float $until): bool
    {
        $parameters = [];
        foreach ($keys as $i => $key) {
            array_push($parameters, self::name($key), $key, $encoded[$i], $until);
        }

        return $this->connection->tries(\sprintf(
            'REPLACE INTO %s (name, full_key, value, expires) VALUES (?, ?, ?, ?)%s',
            $this->table,
            str_repeat(', (?, ?, ?, ?)', \count($keys) - 1),
        ), $parameters);
    }
}
