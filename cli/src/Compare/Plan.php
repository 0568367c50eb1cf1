<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** Values, operations and time that a run measures. */
final class Plan
{
    /**
     * @param non-empty-list<Value> $values
     * @param non-empty-list<Operation> $operations
     */
    public function __construct(
        public readonly array $values,
        public readonly array $operations,
        public readonly TimeBudget $budget,
    ) {}

    /**
     * The cells of one process: values are shuffled within an operation.
     *
     * @return list<array{string, Operation}>
     */
    public function cells(): array
    {
        $cells = [];
        foreach (Operation::cases() as $operation) {
            if (\in_array($operation, $this->operations, true)) {
                $values = $this->values;
                shuffle($values);
                foreach ($values as $value) {
                    $cells[] = [$value->name, $operation];
                }
            }
        }

        return $cells;
    }
}
