<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** All that a run has found. */
final class Result
{
    /**
     * @param list<Row> $rows
     * @param array<string, Handshake> $handshakes of the stores measured, by Target::name()
     * @param list<NotMeasured> $notMeasured
     */
    public function __construct(
        public readonly array $rows,
        public readonly array $handshakes,
        public readonly array $notMeasured,
    ) {}

    /** Whether all that was measured worked. What is not installed did not fail. */
    public function isWhole(): bool
    {
        foreach ($this->rows as $row) {
            if ($row->failures > 0) {
                return false;
            }
        }

        return $this->rows !== [];
    }

    /**
     * The rows of one value and one operation that have a figure, fastest first.
     *
     * @return list<Row>
     */
    public function ranking(Value $value, Operation $operation): array
    {
        $rows = array_values(array_filter(
            $this->rows,
            static fn(Row $row): bool => $row->median !== null && $row->value->name === $value->name && $row->operation === $operation,
        ));
        usort($rows, static fn(Row $a, Row $b): int => $a->median <=> $b->median);

        return $rows;
    }

    /** The fastest of the stores that keep values for other processes: what the others are compared with. */
    public function fastest(Value $value, Operation $operation): ?Row
    {
        foreach ($this->ranking($value, $operation) as $row) {
            if ($row->target->kind !== Kind::Process) {
                return $row;
            }
        }

        return null;
    }
}
