<?php

declare(strict_types=1);

// A store of your own, and the driver that gives it a DSN: entries are in a table of an SQLite file.

use Larder\Cache;
use Larder\Codec\Codec;
use Larder\Contract\AtomicStore;
use Larder\Contract\Entry;
use Larder\Contract\ExpiryAwareStore;
use Larder\Contract\ListableStore;
use Larder\Contract\LockingStore;
use Larder\Contract\Store;
use Larder\Driver\Common\ChangesAtomically;
use Larder\Driver\Common\LoopedBatch;
use Larder\Driver\Common\PacksByCodec;
use Larder\Driver\Driver;
use Larder\Driver\Opener;
use Larder\Driver\Scope;
use Larder\Driver\Variant;
use Larder\Drivers;
use Larder\Dsn\Dsn;
use Larder\Dsn\Scheme;
use Larder\Key\Key;
use Larder\Key\Ttl;
use Larder\Lock\LocksByChanging;
use Larder\Process\Pid;

final class TableStore implements Store, AtomicStore, LockingStore, ListableStore, ExpiryAwareStore
{
    use ChangesAtomically;  // add, replace, touch, increment, swap, setIf, entries: by change() below
    use LocksByChanging;    // locks: by change() too
    use LoopedBatch;           // getMany, setMany, deleteMany
    use PacksByCodec;       // values to bytes and back

    private ?PDO $pdo = null;
    private int $process = 0;

    /** It opens the file on first use. */
    public function __construct(private readonly string $file, private readonly string $namespace, private readonly Codec $codec) {}

    public function get(string $key, mixed $default = null): mixed
    {
        $entry = $this->found($key);

        return $entry === null ? $default : $this->codec->decode($entry->stored, $key, $default);
    }

    public function has(string $key): bool
    {
        return $this->found($key) !== null;
    }

    public function set(string $key, mixed $value, int|float $ttl = 0): bool
    {
        Key::check($key);
        $entry = new Entry($this->pack($key, $value), Ttl::until($ttl));
        $isStored = $this->attempt(fn(): bool => $this->write($key, $entry));

        return $isStored === true || $this->delete($key) && false;     // a refused value must not leave the old one
    }

    public function delete(string $key): bool
    {
        Key::check($key);

        return $this->attempt(fn(): bool => $this->write($key, null)) === true;
    }

    public function clear(): bool
    {
        return $this->attempt(fn(): PDOStatement => $this->run('DELETE FROM entries WHERE namespace = ?', [])) !== false;
    }

    public function keys(): iterable
    {
        $sql = 'SELECT key FROM entries WHERE namespace = ? AND (until = 0 OR until > ?)';

        return $this->attempt(fn(): array => $this->run($sql, [microtime(true)])->fetchAll(PDO::FETCH_COLUMN)) ?: [];
    }

    private function found(string $key): ?Entry
    {
        Key::check($key);

        return $this->attempt(fn(): ?Entry => $this->read($key)) ?: null;
    }

    /** The transaction keeps other processes out between reading and writing. */
    private function change(string $key, Closure $change): bool
    {
        Key::check($key);

        return $this->attempt(function () use ($key, $change): bool {
            $this->connection()->exec('BEGIN IMMEDIATE');
            try {
                $old = $this->read($key);
                $new = $change($old);
                $isDone = $new !== false && $this->write($key, $new, $old?->until ?? 0.0);
                $this->connection()->exec('COMMIT');

                return $isDone;
            } catch (Throwable $error) {
                $this->connection()->exec('ROLLBACK');

                throw $error;
            }
        }) === true;
    }

    private function read(string $key): ?Entry
    {
        $row = $this->run('SELECT value, until FROM entries WHERE namespace = ? AND key = ?', [$key])->fetch(PDO::FETCH_NUM);

        return $row === false || $row[1] != 0 && $row[1] <= microtime(true) ? null : new Entry($row[0], (float) $row[1]);
    }

    private function write(string $key, ?Entry $entry, float $oldUntil = 0.0): bool
    {
        $entry === null
            ? $this->run('DELETE FROM entries WHERE namespace = ? AND key = ?', [$key])
            : $this->run('REPLACE INTO entries (namespace, key, value, until) VALUES (?, ?, ?, ?)', [$key, $entry->stored, $entry->until ?? $oldUntil]);

        return true;
    }

    private function run(string $sql, array $parameters): PDOStatement
    {
        $statement = $this->connection()->prepare($sql);
        $statement->execute([$this->namespace, ...$parameters]);

        return $statement;
    }

    /** A fork must not use the connection of its parent. */
    private function connection(): PDO
    {
        if ($this->pdo === null || $this->process !== Pid::own()) {
            $this->process = Pid::own();
            $this->pdo = new PDO('sqlite:' . $this->file, options: [PDO::ATTR_TIMEOUT => 5]);
            $this->pdo->exec('CREATE TABLE IF NOT EXISTS entries (namespace, key, value, until REAL, PRIMARY KEY (namespace, key)) WITHOUT ROWID');
        }

        return $this->pdo;
    }

    /** @return mixed false if SQLite failed: then gets are misses, and writes return false */
    private function attempt(Closure $work): mixed
    {
        try {
            return $work();
        } catch (PDOException) {
            return false;
        }
    }
}

final class TableDriver implements Driver
{
    public function scheme(): Scheme
    {
        return new Scheme('table', ['namespace', ...Scheme::CODEC_OPTIONS]);
    }

    public function open(Dsn $dsn, Opener $opener): Store
    {
        return new TableStore($dsn->path(), $dsn->namespace(), $opener->codec($dsn));
    }

    public function variants(): array
    {
        return [new Variant('table', TableStore::class, Scope::Machine, extension: 'pdo_sqlite', package: 'sqlite3')];
    }
}

Drivers::register(new TableDriver());
$cache = Cache::open('table://' . getcwd() . '/cache.sqlite?serializer=json');
$cache->set('key', 'value', ttl: 60);                   // => true
$cache->increment('visits');                            // => 1
$cache->remember('page', ttl: 60, make: fn(): string => '<h1>Home</h1>', tags: ['home']);
$cache->invalidateTags(['home']);                       // => true
$cache->get('page');                                    // => null
