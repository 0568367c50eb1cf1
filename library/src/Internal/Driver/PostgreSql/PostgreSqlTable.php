<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\PostgreSql;

use Larder\Exception\StoreUnavailable;
use Larder\Internal\Driver\Sql\Dialect;
use Larder\Internal\Driver\Sql\PostgreSqlDialect;
use Larder\Internal\Key\NamespaceName;

/**
 * The table of a namespace, `larder_<namespace>_entries`: found, examined or created.
 *
 * With a table for each namespace, rather than a column, clear() and prune() go through one cache, and the server shows
 * size, vacuum and rights of each. Rows are found by a hash, since an index takes no key of 64 KiB.
 *
 * Statements name the schema of everything and change no setting of the session, which a pooler lends to other programs
 * after each transaction.
 */
final class PostgreSqlTable
{
    private const CREATING_SECONDS = 10;
    /** Types by their fixed numbers (text, bytea, int8): the server's names for them depend on settings. */
    private const COLUMNS = 'r: name 25, full_key 17, value 17, expires 20, version 25';

    /**
     * The place of the table, or for it, and if it can be trusted: users who may create tables in this database could
     * have created this one, and filled it. The owners of database and server can do that anyway. The user's default
     * search path counts: an earlier program may have set another for this connection.
     */
    private const FIND = <<<'SQL'
        SET LOCAL search_path TO DEFAULT;
        SELECT pg_catalog.pg_backend_pid(),
            (SELECT pg_catalog.count(*) FROM pg_catalog.pg_prepared_statements),
            COALESCE(n.nspname, pg_catalog.current_schema()),
            o.rolname,
            o.rolname {=} CURRENT_USER OR o.rolsuper OR o.oid {=} d.datdba
                OR (NOT u.rolsuper AND pg_catalog.pg_has_role(o.oid, 'USAGE')),
            c.relkind::pg_catalog.text {||} ': ' {||} (
                SELECT pg_catalog.string_agg(a.attname {||} ' ' {||} a.atttypid::pg_catalog.text, ', '
                    ORDER BY a.attnum)
                FROM pg_catalog.pg_attribute a WHERE a.attrelid {=} c.oid AND a.attnum {>} 0 AND NOT a.attisdropped
            ),
            EXISTS (
                SELECT FROM pg_catalog.pg_index i
                WHERE i.indrelid {=} c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
                    AND i.indkey::pg_catalog.text {=} '1'
            )
        FROM pg_catalog.pg_database d
            JOIN pg_catalog.pg_roles u ON u.rolname {=} CURRENT_USER
            LEFT JOIN pg_catalog.pg_class c ON c.oid {=} pg_catalog.to_regclass('"%s"')::pg_catalog.oid
            LEFT JOIN pg_catalog.pg_namespace n ON n.oid {=} c.relnamespace
            LEFT JOIN pg_catalog.pg_roles o ON o.oid {=} c.relowner
        WHERE d.datname {=} pg_catalog.current_database()
        SQL;

    /** The lock: even with IF NOT EXISTS, two processes that create the table at once fail. */
    private const CREATE = <<<'SQL'
        SET LOCAL statement_timeout = %2$d;
        SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('%1$s'));
        CREATE %3$s TABLE IF NOT EXISTS {table} (%4$s, CONSTRAINT "%1$s.name" PRIMARY KEY (name));
        ALTER TABLE {table} ALTER value SET STORAGE EXTERNAL;
        CREATE INDEX IF NOT EXISTS "%1$s.expires" ON {table} (expires) WHERE expires {>} 0
        SQL;
    private const NOT_SUPPORTED = '0A000';

    public readonly string $name;
    public readonly Dialect $dialect;
    private string $schema = '';
    /** @var \WeakReference<PostgreSqlLink>|null another link may have another search path */
    private ?\WeakReference $foundOn = null;
    private bool $isForgotten = false;

    public function __construct(string $namespace)
    {
        NamespaceName::check($namespace);
        $this->name = \sprintf('larder_%s_entries', $namespace);
        $this->dialect = new PostgreSqlDialect();
    }

    public function isFoundOn(PostgreSqlLink $link): bool
    {
        return $this->foundOn?->get() === $link;
    }

    public function forget(): void
    {
        $this->foundOn = null;
        $this->isForgotten = true;
    }

    /** False after forget(): what an earlier request found is no longer there. */
    public function mayHaveBeenFound(): bool
    {
        return !$this->isForgotten;
    }

    /**
     * One round trip for a table that is there.
     *
     * @throws PostgreSqlError
     * @throws StoreUnavailable if it is not ours
     */
    public function find(PostgreSqlLink $link, float $seconds): void
    {
        $this->foundOn = null;
        $found = $this->examine($link, $seconds);
        if ($found[1] === null) {
            $this->create($link);
            $found = $this->examine($link, $seconds);
        }
        [$schema, $owner, $isTrusted, $columns, $hasKey] = $found;
        if ($isTrusted !== 't') {
            throw StoreUnavailable::because(
                'pgsql',
                "the table $this->name belongs to another user, $owner, who could have put values into it",
                \sprintf('Choose another namespace, or let its owner do DROP TABLE "%s"', $this->name),
            );
        }
        if ($columns !== self::COLUMNS || $hasKey !== 't') {
            throw StoreUnavailable::because(
                'pgsql',
                \sprintf('the table %s has other columns than a cache, or no unique index on the first', $this->name),
                \sprintf(
                    'Choose another namespace; or, if nobody needs it, DROP TABLE "%s": it is recreated',
                    $this->name,
                ),
            );
        }
        $this->foundOn = \WeakReference::create($link);
    }

    /**
     * The statement for the server, after the table was found.
     *
     * @param string $sql with {table}, operators in braces, such as {=}, and question marks for parameters
     */
    public function statement(string $sql): string
    {
        $table = \sprintf('"%s"."%s"', str_replace('"', '""', $this->schema), $this->name);
        $parts = explode('?', $this->dialect->sql($sql, $table));
        $statement = $parts[0];
        for ($n = 1; $n < \count($parts); ++$n) {
            $statement .= "$$n" . $parts[$n];
        }

        return $statement;
    }

    /** Name of a prepared statement, known before the schema is. */
    public function nameOf(string $sql): string
    {
        return 'larder_' . hash('xxh128', "$this->name $sql");
    }

    /**
     * @return array{string, string|null, string|null, string|null, string|null} schema; of an existing table the owner,
     *         "t" if it is trusted, columns, "t" if the first is unique
     * @throws PostgreSqlError
     * @throws StoreUnavailable
     */
    private function examine(PostgreSqlLink $link, float $seconds): array
    {
        $result = $link->runAll(\sprintf($this->dialect->sql(self::FIND, ''), $this->name), $seconds);
        /** @var list<array{string, string, string|null, string|null, string|null, string|null, string|null}> $rows */
        $rows = pg_fetch_all($result, \PGSQL_NUM);
        [$process, $prepared, $schema, $owner, $isTrusted, $columns, $hasKey]
            = $rows[0] ?? ['', '', null, null, null, null, null];
        if (!$link->isServedBy((int) $process, (int) $prepared)) {
            throw StoreUnavailable::because(
                'pgsql',
                'the server is behind a pooler, whose sessions other programs use too, and PHP resets the settings'
                    . ' of the session when it takes a persistent connection again',
                'Leave out persistent=1: the pooler keeps the connections',
            );
        }
        $this->schema = $schema ?? throw StoreUnavailable::because(
            'pgsql',
            'the search_path of this user names no schema that exists',
            'Create one: CREATE SCHEMA AUTHORIZATION CURRENT_USER',
        );

        return [$schema, $owner, $isTrusted, $columns, $hasKey];
    }

    /**
     * Without a write-ahead log, which a cache does not need; with one if that is forbidden.
     *
     * @throws PostgreSqlError
     */
    private function create(PostgreSqlLink $link, string $kind = 'UNLOGGED'): void
    {
        $limit = 1000 * self::CREATING_SECONDS;
        $sql = \sprintf(self::CREATE, $this->name, $limit, $kind, PostgreSqlDialect::COLUMNS);

        try {
            $link->runAll($this->statement($sql), self::CREATING_SECONDS);
        } catch (PostgreSqlError $refusal) {
            if ($refusal->state !== self::NOT_SUPPORTED || $kind === '') {
                throw $refusal;
            }
            $this->create($link, '');
        }
    }
}
