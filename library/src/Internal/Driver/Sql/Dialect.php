<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

/**
 * The differences between the databases in the statements of SqlStore. Statements contain words in braces that sql()
 * replaces: operators such as {=}, and {table}. A database that overrides no method gets MySQL's statements.
 */
abstract class Dialect
{
    /** @var array<string, string> */
    protected const TOKENS = ['{=}' => '=', '{<=}' => '<=', '{>}' => '>', '{order}' => '', '{by expiry}' => ''];

    private const OTHER_COLUMNS = 'full_key, value, expires, version';

    /**
     * @param string $table as an identifier
     * @return string the statement as the database accepts it
     */
    public function sql(string $statement, string $table): string
    {
        return strtr($statement, ['{table}' => $table] + static::TOKENS);
    }

    /**
     * A condition that is true for rows with one of these names. It repeats the first one until there are 1, 2, 4, …,
     * as each statement that was prepared is kept.
     *
     * @param non-empty-list<string> $names
     * @return array{string, non-empty-list<string>} with its parameters
     */
    public function names(array $names): array
    {
        $size = 2 ** (int) ceil(log(\count($names), 2));

        return [\sprintf('name IN (?%s)', str_repeat(', ?', $size - 1)), array_pad($names, $size, $names[0])];
    }

    /**
     * Writes rows over those that are there.
     *
     * @param string $key columns of the primary key, separated by commas
     */
    public function write(string $key, int $rows): string
    {
        return self::insert('REPLACE', $key, $rows);
    }

    /** Writes a row, unless there is one with that key. */
    abstract public function writeNew(string $key): string;

    protected static function insert(string $verb, string $key, int $rows = 1): string
    {
        $columns = $key . ', ' . self::OTHER_COLUMNS;
        $row = '(?' . str_repeat(', ?', substr_count($columns, ',')) . ')';

        return "$verb INTO {table} ($columns) VALUES $row" . str_repeat(", $row", $rows - 1);
    }

    /**
     * Deletes rows in the order of their names. Writers lock them in the same order, so there is no deadlock.
     *
     * @param string $scope condition on the namespace, before AND; or empty
     * @param list<string> $namespace its parameters
     * @param list<string|int> $parameters of the condition
     * @return array{string, list<string|int>} with its parameters
     */
    public function delete(string $scope, array $namespace, string $condition, array $parameters, int $limit): array
    {
        $sql = "DELETE FROM {table} WHERE $scope$condition ORDER BY name LIMIT $limit";

        return [$sql, [...$namespace, ...$parameters]];
    }

    /** True if expired rows of other namespaces in the table are deleted as easily, so that none stays forever. */
    public function deletesAcrossNamespaces(): bool
    {
        return false;
    }

    /** @return list<string> statements that create the table, and change nothing if it is there */
    abstract public function definition(): array;

    /** @param string $state SQLSTATE */
    abstract public function trouble(string $state, int $code, string $message): Trouble;
}
