<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** The task of a measuring process. */
final class Job
{
    /**
     * @param string $store a DSN for Cache::open(); or, for a store without a DSN, the name of a class that implements
     *         Store and has no constructor arguments
     * @param list<array{string, Operation}> $cells names of values, and what to measure of each, in this order
     */
    public function __construct(
        #[\SensitiveParameter]
        public readonly string $store,
        public readonly array $cells,
        public readonly TimeBudget $budget,
    ) {}

    public function line(): string
    {
        return json_encode([
            'store' => $this->store,
            'cells' => array_map(static fn(array $cell): array => [$cell[0], $cell[1]->value], $this->cells),
            'batch' => $this->budget->batch,
            'total' => $this->budget->total,
        ], \JSON_THROW_ON_ERROR);
    }

    public static function fromLine(#[\SensitiveParameter] string $line): self
    {
        /** @var array{store: string, cells: list<array{string, string}>, batch: int, total: int} $fields */
        $fields = json_decode($line, true, flags: \JSON_THROW_ON_ERROR);

        return new self(
            $fields['store'],
            array_map(static fn(array $cell): array => [$cell[0], Operation::from($cell[1])], $fields['cells']),
            new TimeBudget($fields['batch'], $fields['total']),
        );
    }
}
