<?php

declare(strict_types=1);

namespace Larder\Driver\MySql;

use Larder\Codec\Codec;
use Larder\Codec\PhpCodec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\PrunableStore;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\PacksByCodec;
use Larder\Driver\MySql\Server\MySqlConnection;
use Larder\Driver\MySql\Server\MySqlTable;
use Larder\Exception\StoreFailed;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use PDO;
use PDOException;

/**
 * A table of a MySQL or MariaDB server with one row a value, by the engine InnoDB or MyISAM. Each operation is one
 * statement, which both engines carry out whole. The server's max_allowed_packet limits a value. One write of sixteen
 * removes a few rows that have expired.
 */
final class MySqlStore extends MySqlTable implements AtomicStore, LockingStore, ListableStore, ExpiryAwareStore, PrunableStore
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    private const TRIES = 1000;

    /** A write of so many, at random, removes so many expired rows at most: twice as many as are written. */
    private const WRITES_PER_COLLECTION = 16;
    private const ROWS_PER_COLLECTION = 32;
    private const ROWS_PER_PRUNING = 1000;

    /** @param 'innodb'|'myisam' $engine */
    public function __construct(MySqlConnection $connection, string $engine = 'innodb', string $namespace = 'larder', Codec $codec = new PhpCodec())
    {
        parent::__construct($connection, $engine, $namespace, $codec, 'name BINARY(16) NOT NULL PRIMARY KEY,'
            . ' full_key BLOB NOT NULL, value LONGBLOB NOT NULL, expires DOUBLE NOT NULL, KEY expires (expires)');
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);

        $isWritten = $this->writeOrDelete($key, $this->codec->encode($value, $key), Ttl::until($ttl));
        if ($isWritten && random_int(1, self::WRITES_PER_COLLECTION) === 1) {
            $this->collect();
        }

        return $isWritten;
    }

    public function setMany(array $values, int|float $ttl = 0): bool
    {
        $until = Ttl::until($ttl);
        $keys = Key::of($values);
        $encoded = array_map($this->codec->encode(...), array_values($values), $keys);

        $all = true;
        foreach (array_chunk($keys, self::KEYS_AT_ONCE) as $n => $some) {
            $all = $this->writeOrDeleteMany($some, \array_slice($encoded, $n * self::KEYS_AT_ONCE, self::KEYS_AT_ONCE), $until) && $all;
        }
        for ($n = 0; $n < \count($keys); $n += self::WRITES_PER_COLLECTION) {
            if (!$this->collect()) {
                break;
            }
        }

        return $all;
    }

    public function prune(): int
    {
        $all = 0;

        try {
            do {
                $deleted = $this->connection->run(\sprintf(
                    'DELETE FROM %s WHERE expires > 0 AND expires <= ? LIMIT %d',
                    $this->table,
                    self::ROWS_PER_PRUNING,
                ), [microtime(true)])->rowCount();
                $all += $deleted;
            } while ($deleted > 0);
        } catch (PDOException) {
            // the rest the next time
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
            // Others than Larder may have made the table, with columns of other types.
            $stored = array_filter($rows->fetchAll(PDO::FETCH_KEY_PAIR), is_string(...));
        } catch (PDOException) {
            return [];
        }

        return $stored;
    }

    public function keys(): iterable
    {
        try {
            $rows = $this->connection->run(\sprintf('SELECT full_key FROM %s WHERE expires = 0 OR expires > ?', $this->table), [microtime(true)]);
            $keys = $rows->fetchAll(PDO::FETCH_COLUMN);
        } catch (PDOException) {
            return;
        }
        foreach ($keys as $key) {
            if (\is_string($key)) {
                yield $key;
            }
        }
    }

    /** By statements that change a row only as it was read, so that both engines can; when another was first, again. */
    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);
        $name = self::name($key);
        for ($try = 0; $try < self::TRIES; ++$try) {
            try {
                $row = $this->connection->run(\sprintf('SELECT full_key, value, expires FROM %s WHERE name = ?', $this->table), [$name]);
                /** @var array{string|int|float|null, string|int|float|null, string|int|float|null}|false $found strings and a float, unless others made the table */
                $found = $row->fetch(PDO::FETCH_NUM);
                $row->closeCursor();
                [$full, $bytes, $until] = $found === false ? [null, null, null] : $found;
                $isThere = $full === $key && \is_string($bytes) && \is_float($until) && ($until === 0.0 || $until > microtime(true));
                $new = $change($isThere ? new Entry($bytes, $until) : null);
                if ($new === false) {
                    return false;
                }
                if ($this->changeRow($name, $key, $found, $new)) {
                    return true;
                }
            } catch (PDOException $error) {
                if (($error->errorInfo[1] ?? null) !== self::DEADLOCK) {
                    return false; // too large, full or unreachable
                }
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    /**
     * @param array{string|int|float|null, string|int|float|null, string|int|float|null}|false $found
     * @param Entry<string>|null $new
     * @return bool false when the row is another by now
     */
    private function changeRow(string $name, string $key, array|false $found, ?Entry $new): bool
    {
        if ($found === false) {
            $sql = $new === null ? null : 'INSERT IGNORE INTO %s (name, full_key, value, expires) VALUES (?, ?, ?, ?)';
            $parameters = $new === null ? [] : [$name, $key, $new->stored, $new->until ?? 0.0];
        } elseif ($new === null) {
            $sql = 'DELETE FROM %s WHERE name = ? AND full_key <=> ? AND value <=> ? AND expires <=> ?';
            $parameters = [$name, ...$found];
        } else {
            $sql = 'UPDATE %s SET full_key = ?, value = ?, expires = ? WHERE name = ? AND full_key <=> ? AND value <=> ? AND expires <=> ?';
            $parameters = [$key, $new->stored, $new->until ?? (float) $found[2], $name, ...$found];
        }

        return $sql === null || $this->connection->run(\sprintf($sql, $this->table), $parameters)->rowCount() === 1;
    }

    /**
     * Reads without a lock, then deletes by name, in the order in which writers lock rows: else there would be deadlocks.
     *
     * @return bool false when there was nothing to remove
     */
    private function collect(): bool
    {
        $now = microtime(true);

        try {
            // Without its index, as of a table made by another, nothing is looked for at all.
            $rows = $this->connection->run(\sprintf(
                'SELECT name FROM %s FORCE INDEX (expires) WHERE expires > 0 AND expires <= ? LIMIT %d',
                $this->table,
                self::ROWS_PER_COLLECTION,
            ), [$now]);
            /** @var list<string> $names */
            $names = $rows->fetchAll(PDO::FETCH_COLUMN);
        } catch (PDOException) {
            return false;
        }
        if ($names === []) {
            return false;
        }
        sort($names, \SORT_STRING);

        return $this->connection->tries(\sprintf(
            'DELETE FROM %s WHERE name IN (?%s) AND expires > 0 AND expires <= ?',
            $this->table,
            str_repeat(', ?', self::ROWS_PER_COLLECTION - 1),
        ), [...array_pad($names, self::ROWS_PER_COLLECTION, $names[0]), $now]);
    }

    /**
     * @param non-empty-list<string> $keys
     * @param list<string> $encoded
     */
    private function writeOrDeleteMany(array $keys, array $encoded, float $until): bool
    {
        try {
            if ($this->write($keys, $encoded, $until)) {
                return true;
            }
        } catch (StoreFailed) {
            $this->connection->tries('DO 0');
        }
        // Together they may be too much for one packet.
        $all = true;
        foreach ($keys as $i => $key) {
            $all = $this->writeOrDelete($key, $encoded[$i], $until) && $all;
        }

        return $all;
    }

    /** The server hangs up on what is too large as one that goes away does, so only the deletion tells which it was. */
    private function writeOrDelete(string $key, string $encoded, float $until): bool
    {
        try {
            if ($this->write([$key], [$encoded], $until)) {
                return true;
            }
        } catch (StoreFailed) {
            // as when it gives false
        }
        $this->delete($key);

        return false;
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

        $sql = \sprintf('REPLACE INTO %s (name, full_key, value, expires) VALUES (?, ?, ?, ?)%s', $this->table, str_repeat(', (?, ?, ?, ?)', \count($keys) - 1));

        return $this->changes($sql, $parameters);
    }
}
