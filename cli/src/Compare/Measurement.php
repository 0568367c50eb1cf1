<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** The result of one process for one value and one operation. */
final class Measurement
{
    /**
     * @param float|null $nanoseconds of one operation; null when the store failed
     * @param int $failures operations with a wrong result
     * @param string $problem the first failure; empty without failures
     * @param float|null $drift see Sample
     */
    public function __construct(
        public readonly string $value,
        public readonly Operation $operation,
        public readonly ?float $nanoseconds,
        public readonly int $failures = 0,
        public readonly string $problem = '',
        public readonly ?float $drift = null,
    ) {}

    /** One line, for the pipe between the measuring process and the tool. */
    public function line(): string
    {
        return json_encode([
            'value' => $this->value,
            'operation' => $this->operation->value,
            'nanoseconds' => $this->nanoseconds,
            'failures' => $this->failures,
            'problem' => $this->problem,
            'drift' => $this->drift,
        ], \JSON_THROW_ON_ERROR | \JSON_INVALID_UTF8_SUBSTITUTE);
    }

    public static function fromLine(string $line): self
    {
        /**
         * @var array{
         *     value: string, operation: string, nanoseconds: int|float|null, failures: int, problem: string,
         *     drift: int|float|null,
         * } $fields
         */
        $fields = json_decode($line, true, flags: \JSON_THROW_ON_ERROR);

        return new self(
            $fields['value'],
            Operation::from($fields['operation']),
            $fields['nanoseconds'] === null ? null : (float) $fields['nanoseconds'],
            $fields['failures'],
            $fields['problem'],
            $fields['drift'] === null ? null : (float) $fields['drift'],
        );
    }
}
