<?php

declare(strict_types=1);

namespace Larder\Driver\Legacy\MySqlMemory;

use Larder\Contract\Entry;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\Envelope;
use Larder\Driver\Common\PacksByCodec;
use Larder\Key\Key;
use Larder\Lock\LocksByChanging;
use PDO;
use PDOException;

/**
 * What a MEMORY table does in one step: one statement, under which the server locks the table. Each writes rows only
 * where those that were read are still of the same version, and gives them a new one. When another was first, all begins
 * again.
 */
trait MySqlMemoryAtomics
{
    /** @use ChangesAtomically<string> */
    use ChangesAtomically;
    /** @use LocksByChanging<string> */
    use LocksByChanging;
    use PacksByCodec;

    private const TRIES = 1000;
    /** The server's codes. */
    private const DUPLICATE = 1062;
    /** So many rows hold the longest key and what stands before it. */
    private const PARTS_OF_KEY = 67;

    public function keys(): iterable
    {
        try {
            $rows = $this->connection->run(
                \sprintf('SELECT name, data FROM %s WHERE part < ? AND (expires = 0 OR expires > ?) ORDER BY name, part', $this->table),
                [self::PARTS_OF_KEY, microtime(true)],
            );
            /** @var array<array-key, string> $sealed by name; PHP makes an integer of one that is all digits */
            $sealed = [];
            /** @var array{string, string} $row */
            foreach ($rows->fetchAll(PDO::FETCH_NUM) as $row) {
                $sealed[$row[0]] = ($sealed[$row[0]] ?? '') . $row[1];
            }
        } catch (PDOException) {
            return;
        }
        foreach ($sealed as $name => $begin) {
            $key = Envelope::key($begin);
            if ($key !== null && $key !== '' && self::name($key) === (string) $name && $this->has($key)) {
                yield $key;
            }
        }
    }

    /** Servers are asked from other machines too. */
    private function seesOwners(): bool
    {
        return false;
    }

    /** @param \Closure(Entry<string>|null): (Entry<string>|false|null) $change */
    private function change(string $key, \Closure $change): bool
    {
        Key::check($key);
        $parts = 1;
        for ($try = 0; $try < self::TRIES; ++$try) {
            try {
                $rows = $this->rows([$key])[self::name($key)] ?? [];
                $sealed = (string) self::joined($rows);
                $bytes = Envelope::open($sealed, $key);
                $until = Envelope::until($sealed);
                $new = $change($bytes === null ? null : new Entry($bytes, $until));
                if ($new === false) {
                    return false;
                }
                $old = isset($rows[0]) ? (string) $rows[0]['version'] : null; // an integer in a table that others made
                $parts = 1 + intdiv(\strlen($new->stored ?? ''), self::PART_LENGTH);
                if ($new === null ? $this->removeVersion($key, $old) : $this->writeOver($key, $old, $new->stored, $new->until ?? $until)) {
                    return true;
                }
            } catch (PDOException $error) {
                $code = $error->errorInfo[1] ?? null;
                if ($code !== self::DUPLICATE && !($code === self::TABLE_FULL && $this->makeRoom($parts))) {
                    return false; // too large, full or away
                }
            }
            usleep(random_int(0, 100 * min($try, 10)));
        }

        return false;
    }

    /** @throws PDOException */
    private function removeVersion(string $key, ?string $version): bool
    {
        return $version === null
            || $this->connection->run(\sprintf('DELETE FROM %s WHERE name = ? AND version = ?', $this->table), [self::name($key), $version])->rowCount() > 0;
    }

    /**
     * @param string|null $old the version that is to be there; null for none
     * @return bool false when another is there by now
     * @throws PDOException
     */
    private function writeOver(string $key, ?string $old, string $bytes, float $until): bool
    {
        $parts = str_split(Envelope::seal($bytes, $until, $key), self::PART_LENGTH);
        if (\count($parts) > self::PARTS_AT_ONCE) {
            return false;
        }
        $version = self::newVersion();
        [$sql, $parameters] = $this->rowsToWrite('INSERT', self::name($key), $version, \count($parts), $parts, $until);
        if ($old === null) {
            $this->connection->run($sql, $parameters);

            return true;
        }
        // Under one lock of the table: a row that was deleted meanwhile must not come back.
        $row = 'SELECT CAST(? AS BINARY) AS name, ? AS part, CAST(? AS BINARY) AS version, ? AS parts, ? AS expires, CAST(? AS BINARY) AS data';
        $statement = $this->connection->run(\sprintf(
            'INSERT INTO %1$s (name, part, version, parts, expires, data) SELECT * FROM (%2$s) AS new'
            . ' WHERE EXISTS (SELECT 1 FROM %1$s AS old WHERE old.name = ? AND old.part = 0 AND old.version = ?)'
            . ' ON DUPLICATE KEY UPDATE parts = VALUES(parts), expires = VALUES(expires), data = VALUES(data), version = VALUES(version)',
            $this->table,
            $row . str_repeat(' UNION ALL ' . $row, \count($parts) - 1),
        ), [...$parameters, self::name($key), $old]);
        $done = $statement->rowCount() > 0;
        if ($done) {
            $this->removeLeftovers(self::name($key), \count($parts), $version);
        }

        return $done;
    }
}
