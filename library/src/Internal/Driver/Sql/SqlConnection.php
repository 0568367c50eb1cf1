<?php

declare(strict_types=1);

namespace Larder\Internal\Driver\Sql;

use Larder\Exception\StoreFailed;
use Larder\Exception\StoreUnavailable;

/** Runs the statements of a SqlStore on one table: connects again, creates the table, and limits the time for that. */
abstract class SqlConnection
{
    /** @var string name of the store in messages */
    public const NAME = '';

    /** @throws StoreFailed if the application's client is not there */
    abstract public function dialect(): Dialect;

    /**
     * @param list<string|int|array{string}> $parameters a string in an array is bytes rather than text
     * @return list<list<mixed>> none also if only this statement was refused
     * @throws StoreFailed if the server is away, or the user may not read
     */
    abstract public function rows(string $sql, array $parameters): array;

    /**
     * @param list<string|int|array{string}> $parameters as for rows()
     * @param bool $mayRepeat true if running it twice has the same effect: a lost reply leaves open if it was run
     * @return int|null number of changed rows; null if the value or the space for it is refused
     * @throws StoreFailed
     */
    abstract public function change(string $sql, array $parameters, bool $mayRepeat = true): ?int;

    /** @param list<string|int|array{string}> $parameters */
    public static function bytes(array $parameters): int
    {
        $values = array_filter($parameters, is_array(...));

        return array_sum(array_map(\strlen(...), array_column($values, 0)));
    }

    /**
     * @return int bytes of values that a statement may have
     * @throws StoreFailed
     */
    public function longest(): int
    {
        return \PHP_INT_MAX;
    }

    /** True if a full table makes room by deleting other values. */
    public function evicts(): bool
    {
        return false;
    }

    /** @throws StoreUnavailable */
    public function reach(): void {}

    /** See NamesServer. */
    public function server(): ?string
    {
        return null;
    }
}
