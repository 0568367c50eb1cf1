<?php

declare(strict_types=1);

namespace Larder\Driver\PostgreSql;

use Larder\Exception\StoreUnavailable;
use Larder\Key\NamespaceName;

/**
 * The table of a namespace, `larder_<namespace>`: found, examined or made.
 *
 * A table for each namespace, rather than a column: clear() and prune() then go through one cache and not through all, and
 * the server shows size, vacuum and rights of each. Rows are found by a hash, since an index takes no key of 64 KiB.
 */
final class PostgreSqlTable
{
    private const MAKING_SECONDS = 10;
    private const COLUMNS = 'r: name bytea, key bytea, value bytea, expires double precision';

    /**
     * Where the table is, or is to be: then nothing but the server's own functions and operators is found without a schema.
     * Others who may create in a schema of the search path could put better-fitting ones there, which would run as us.
     */
    private const LOCATE = <<<'SQL'
        SELECT
            (SELECT n.nspname::text FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n
                WHERE c.oid OPERATOR(pg_catalog.=) pg_catalog.to_regclass($1::text)::oid AND n.oid OPERATOR(pg_catalog.=) c.relnamespace),
            pg_catalog.current_schema()::text,
            pg_catalog.set_config('search_path'::text, 'pg_catalog'::text, false)
        SQL;

    /**
     * Others who may make tables in this database could make this one first, and put values of theirs into it. Whom the
     * database or the server belongs to can do that anyway.
     */
    private const EXAMINE = <<<'SQL'
        SELECT o.rolname,
            o.rolname = current_user OR o.rolsuper OR o.oid = d.datdba OR (NOT u.rolsuper AND pg_has_role(o.oid, 'USAGE')),
            c.relkind::text || ': ' || (
                SELECT string_agg(a.attname || ' ' || format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum)
                FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
            ),
            EXISTS (
                SELECT FROM pg_index i
                WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL AND i.indkey::text = '1'
            )
        FROM pg_class c JOIN pg_roles o ON o.oid = c.relowner, pg_database d, pg_roles u
        WHERE c.oid = to_regclass($1) AND d.datname = current_database() AND u.rolname = current_user
        SQL;

    /** One at a time: two that make it at once would get in each other's way, even with IF NOT EXISTS. */
    private const MAKE = <<<'SQL'
        SET LOCAL statement_timeout = %2$d;
        SELECT pg_advisory_xact_lock(hashtext('%1$s'));
        CREATE %3$s TABLE IF NOT EXISTS %4$s (
            name bytea NOT NULL CONSTRAINT "%1$s.name" PRIMARY KEY,
            key bytea NOT NULL,
            value bytea NOT NULL,
            expires double precision NOT NULL
        );
        ALTER TABLE %4$s ALTER value SET STORAGE EXTERNAL;
        CREATE INDEX IF NOT EXISTS "%1$s.expires" ON %4$s (expires) WHERE expires > 0
        SQL;
    private const NOT_SUPPORTED = '0A000';

    private readonly string $table;
    /** As in statements, before they are sent. */
    public readonly string $quoted;
    private string $schema = '';
    /** @var \WeakReference<PostgreSqlLink>|null where it was found: another link may have another search path */
    private ?\WeakReference $foundOn = null;

    public function __construct(string $namespace)
    {
        NamespaceName::check($namespace);
        $this->table = 'larder_' . $namespace;
        $this->quoted = \sprintf('"%s"', $this->table);
    }

    public function isFoundOn(PostgreSqlLink $link): bool
    {
        return $this->foundOn?->get() === $link;
    }

    /** It is looked for again before the next statement. */
    public function forget(): void
    {
        $this->foundOn = null;
    }

    /**
     * @throws PostgreSqlError
     * @throws StoreUnavailable when it is not ours
     */
    public function find(PostgreSqlLink $link, float $seconds): void
    {
        $this->forget();
        $this->locate($link, $seconds);
        $found = $this->examine($link, $seconds);
        if ($found === null) {
            $this->make($link);
            $found = $this->examine($link, $seconds);
        }
        [$owner, $isTrusted, $columns, $hasKey] = $found ?? ['nobody', 'f', '', 'f'];
        if ($isTrusted !== 't') {
            throw StoreUnavailable::because(
                'pgsql',
                \sprintf('the table %s belongs to another user, %s, who could have put values into it', $this->table, $owner),
                \sprintf('Choose another namespace, or let its owner do DROP TABLE %s', $this->quoted),
            );
        }
        if ($columns !== self::COLUMNS || $hasKey !== 't') {
            throw StoreUnavailable::because(
                'pgsql',
                \sprintf('the table %s has other columns than a cache, or no unique index on the first', $this->table),
                \sprintf('Choose another namespace; or, if nobody needs it, DROP TABLE %s: it is recreated', $this->quoted),
            );
        }
        $this->foundOn = \WeakReference::create($link);
    }

    /** With its schema, once it was found. */
    public function qualified(): string
    {
        return $this->schema === '' ? $this->quoted : \sprintf('"%s".%s', str_replace('"', '""', $this->schema), $this->quoted);
    }

    /**
     * @throws PostgreSqlError
     * @throws StoreUnavailable
     */
    private function locate(PostgreSqlLink $link, float $seconds): void
    {
        $link->runAll('RESET search_path', $seconds); // a request before this one may have set it, on this connection
        /** @var list<array{string|null, string|null, string}> $rows */
        $rows = pg_fetch_all($link->run(self::LOCATE, [$this->quoted], $seconds), \PGSQL_NUM);
        $this->schema = $rows[0][0] ?? $rows[0][1] ?? throw StoreUnavailable::because(
            'pgsql',
            'the search_path of this user names no schema that exists',
            'Create one: CREATE SCHEMA AUTHORIZATION CURRENT_USER',
        );
    }

    /**
     * @return array{string, string, string, string}|null owner, whether we trust it, columns, whether the first is unique
     * @throws PostgreSqlError
     */
    private function examine(PostgreSqlLink $link, float $seconds): ?array
    {
        /** @var list<array{string, string, string, string}> $rows */
        $rows = pg_fetch_all($link->run(self::EXAMINE, [$this->qualified()], $seconds), \PGSQL_NUM);

        return $rows[0] ?? null;
    }

    /**
     * Without a write-ahead log, which a cache does not need; with one where that is forbidden.
     *
     * @throws PostgreSqlError
     */
    private function make(PostgreSqlLink $link): void
    {
        $make = fn(string $kind): string => \sprintf(self::MAKE, $this->table, 1000 * self::MAKING_SECONDS, $kind, $this->qualified());

        try {
            $link->runAll($make('UNLOGGED'), self::MAKING_SECONDS);
        } catch (PostgreSqlError $refusal) {
            if ($refusal->state !== self::NOT_SUPPORTED) {
                throw $refusal;
            }
            $link->runAll($make(''), self::MAKING_SECONDS);
        }
    }
}
