<?php

declare(strict_types=1);

namespace Larder\Cli\Study;

/** The result of one process for one cell. */
final class Measurement
{
    /**
     * @param int $cell its number in the Job
     * @param float|null $nanoseconds of one operation; null when the store failed
     * @param int $failures operations with a wrong result
     * @param string $problem the first failure; empty without failures
     * @param int $operations measured
     */
    public function __construct(
        public readonly int $cell,
        public readonly ?float $nanoseconds,
        public readonly int $failures = 0,
        public readonly string $problem = '',
        public readonly int $operations = 0,
    ) {}

    public function line(): string
    {
        return json_encode(get_object_vars($this), \JSON_THROW_ON_ERROR | \JSON_INVALID_UTF8_SUBSTITUTE);
    }

    public static function fromLine(string $line): self
    {
        /**
         * @var array{cell: int, nanoseconds: int|float|null, failures: int, problem: string, operations: int} $fields
         */
        $fields = json_decode($line, true, flags: \JSON_THROW_ON_ERROR);

        return new self(
            $fields['cell'],
            $fields['nanoseconds'] === null ? null : (float) $fields['nanoseconds'],
            $fields['failures'],
            $fields['problem'],
            $fields['operations'],
        );
    }
}
