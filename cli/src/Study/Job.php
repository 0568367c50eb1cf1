<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

/** The task of a measuring process in a study. */
final class Job
{
    /**
     * @param string $store see Compare\Job
     * @param list<Cell> $cells in the order measured
     * @param int $nanoseconds time limit of a cell
     * @param int $process number of this process among parallel ones, for its own keys
     * @param string $start for several processes, the file that StartSignal writes; else empty
     */
    public function __construct(
        #[\SensitiveParameter]
        public readonly string $store,
        public readonly array $cells,
        public readonly int $nanoseconds,
        public readonly int $process = 0,
        public readonly string $start = '',
    ) {}

    public function line(): string
    {
        return json_encode([
            'store' => $this->store,
            'cells' => array_map(
                static fn(Cell $cell): array => [$cell->operation->value, $cell->value, $cell->operations],
                $this->cells,
            ),
            'nanoseconds' => $this->nanoseconds,
            'process' => $this->process,
            'start' => $this->start,
        ], \JSON_THROW_ON_ERROR);
    }

    public static function fromLine(#[\SensitiveParameter] string $line): self
    {
        /**
         * @var array{
         *     store: string, cells: list<array{string, string, positive-int}>, nanoseconds: int, process: int,
         *     start: string,
         * } $fields
         */
        $fields = json_decode($line, true, flags: \JSON_THROW_ON_ERROR);

        return new self(
            $fields['store'],
            array_map(
                static fn(array $cell): Cell => new Cell(Operation::from($cell[0]), $cell[1], $cell[2]),
                $fields['cells'],
            ),
            $fields['nanoseconds'],
            $fields['process'],
            $fields['start'],
        );
    }
}
