<?php

declare(strict_types=1);

namespace Larder\Cli\Measure;

/**
 * The subject of a report's row: one store, one connection, one operation, one value.
 *
 * @phpstan-type SubjectFields array{
 *     table: string, store: string, connection: ?string, value: ?string, bytes: ?int, operation: string, unit: string,
 *     settings: array<string, string>,
 * }
 */
final class Subject
{
    /**
     * @param string $table the table of the row: "compare", or a study and its table as in published.json: "2013: read,
     *         13 values"
     * @param string $store name of the store for the user ("redis"), or of a page ("empty")
     * @param string|null $connection "socket", "tcp", "network", "tmpfs", "disk"; null for memory of this machine
     * @param string|null $value name of the value, as in the study; null if there is none
     * @param int|null $bytes length of the value, after serialize() if it is not a string
     * @param string $operation "get", "set", "request", …
     * @param Unit $unit of the figures
     * @param array<string, string> $settings further settings that distinguish the rows of a table, by name:
     *         ["serializer" => "igbinary", "processes" => "10"]
     */
    public function __construct(
        public readonly string $table,
        public readonly string $store,
        public readonly ?string $connection,
        public readonly ?string $value,
        public readonly ?int $bytes,
        public readonly string $operation,
        public readonly Unit $unit = Unit::Nanoseconds,
        public readonly array $settings = [],
    ) {}

    /** Equal for equal subjects, in other runs too. */
    public function key(): string
    {
        $settings = $this->settings;
        ksort($settings);

        return json_encode(
            [$this->table, $this->store, $this->connection, $this->value, $this->operation, $this->unit, $settings],
            \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_UNICODE | \JSON_UNESCAPED_SLASHES,
        );
    }

    /** @return SubjectFields for json_encode() */
    public function toArray(): array
    {
        return [
            'table' => $this->table,
            'store' => $this->store,
            'connection' => $this->connection,
            'value' => $this->value,
            'bytes' => $this->bytes,
            'operation' => $this->operation,
            'unit' => $this->unit->value,
            'settings' => $this->settings,
        ];
    }

    /** @param SubjectFields $fields */
    public static function fromArray(array $fields): self
    {
        return new self(
            $fields['table'],
            $fields['store'],
            $fields['connection'],
            $fields['value'],
            $fields['bytes'],
            $fields['operation'],
            Unit::from($fields['unit']),
            $fields['settings'],
        );
    }

    /** The name for display: "redis socket". */
    public function name(): string
    {
        return $this->connection === null ? $this->store : $this->store . ' ' . $this->connection;
    }
}
