<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

use PDO;
use PDOException;
use PDOStatement;

final class Statements
{
    private const KEPT = 32;
    /** Not a class of the application, whose methods may differ. */
    public const OPTIONS = [PDO::ATTR_STATEMENT_CLASS => [PDOStatement::class]];

    /** @var array<string, PDOStatement> */
    public array $kept = [];

    /**
     * @param list<string|int|array{string}> $parameters a string in an array is bytes rather than text
     * @param bool $isSent becomes true when the statement may have been executed
     * @return array{list<list<mixed>>, int} rows, and the number of changed ones
     * @throws PDOException
     */
    public function run(PDO $database, string $sql, array $parameters, bool &$isSent = false): array
    {
        if (\count($this->kept) >= self::KEPT) {
            $this->kept = [];
        }
        $statement = $this->kept[$sql] ?? $database->prepare($sql, self::OPTIONS);
        // Kept again at the end. SQLite always refuses a statement that it refused once, and a signal handler must not
        // use this one at the same time.
        unset($this->kept[$sql]);
        if ($statement === false) {
            throw self::error($database);
        }
        foreach ($parameters as $i => $parameter) {
            $statement->bindValue($i + 1, \is_array($parameter) ? $parameter[0] : $parameter, match (true) {
                \is_array($parameter) => PDO::PARAM_LOB,
                \is_int($parameter) => PDO::PARAM_INT,
                default => PDO::PARAM_STR,
            });
        }
        $isSent = true;
        if (!$statement->execute()) {
            throw self::error($statement);
        }
        /** @var list<list<mixed>> $rows */
        $rows = $statement->columnCount() > 0 ? $statement->fetchAll(PDO::FETCH_NUM) : [];
        $changed = $statement->rowCount();
        $statement->closeCursor();
        $this->kept[$sql] = $statement;

        return [$rows, $changed];
    }

    /** The error, if the application's PDO does not throw it. */
    public static function error(PDO|PDOStatement $of): PDOException
    {
        $info = $of->errorInfo();
        $error = new PDOException(implode(' ', array_filter($info, is_scalar(...))));
        $error->errorInfo = $info;

        return $error;
    }

    public static function trouble(Dialect $dialect, PDOException $error): Trouble
    {
        [$state, $code] = [$error->errorInfo[0] ?? '', $error->errorInfo[1] ?? 0];

        return $dialect->trouble(\is_string($state) ? $state : '', \is_int($code) ? $code : 0, $error->getMessage());
    }
}
