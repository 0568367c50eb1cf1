<?php

declare(strict_types=1);

namespace Larder\WordPress\Tests;

/** A database with the table of the options, with as much of wpdb as the object cache asks for. */
final class Database
{
    public string $base_prefix = 'wp_';
    public string $last_error = '';
    /** @var list<string> without those of get_var() */
    public array $queries = [];
    /** @var (\Closure(): mixed)|null runs before each of them */
    public ?\Closure $before = null;
    private readonly \PDO $connection;

    public function __construct()
    {
        $this->connection = new \PDO('sqlite::memory:');
        $this->connection->exec('CREATE TABLE wp_options (option_name PRIMARY KEY, option_value, autoload)');
        $locate = static fn(string $part, string $text): int => (int) strpos("-$text", $part);
        $this->connection->sqliteCreateFunction('LOCATE', $locate);
        $this->connection->sqliteCreateFunction('CONCAT', static fn(string ...$parts): string => implode('', $parts));
    }

    public function suppress_errors(bool $isSuppressed = true): bool
    {
        return $isSuppressed;
    }

    public function get_var(string $query): ?string
    {
        $result = $this->connection->query($query);
        $value = $result === false ? null : $result->fetchColumn();

        return \is_string($value) ? $value : null;
    }

    public function query(string $query): int
    {
        $this->queries[] = $query;
        if ($this->before !== null) {
            ($this->before)();
        }

        return (int) $this->connection->exec(str_replace('INSERT IGNORE', 'INSERT OR IGNORE', $query));
    }

    /** @phpstan-impure */
    public function countQueries(): int
    {
        return \count($this->queries);
    }

    public function epoch(): ?string
    {
        return $this->get_var("SELECT option_value FROM wp_options WHERE option_name = 'larder_epoch'");
    }

    public function setEpoch(string $row): void
    {
        $this->connection->exec("REPLACE INTO wp_options VALUES ('larder_epoch', '$row', 'no')");
    }
}
