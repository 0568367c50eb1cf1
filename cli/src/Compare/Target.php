<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Measure\Subject;
use Larder\Cli\Report\Kind;
use Larder\Cli\System\Php;

/** A store to measure: its connection, and the PHP that it needs. */
final class Target
{
    /**
     * @param string $store name for the user: "redis"
     * @param string|null $connection "socket", "tcp", "tmpfs", "disk"; null for memory of this machine
     * @param string $address see Job
     * @param Kind $kind memory of this machine, a server, or one process
     * @param array<string, string> $settings further settings that distinguish rows; see Subject
     */
    public function __construct(
        public readonly string $store,
        public readonly ?string $connection,
        #[\SensitiveParameter]
        public readonly string $address,
        public readonly Kind $kind,
        public readonly Php $php = new Php(),
        public readonly array $settings = [],
    ) {}

    /** The name for progress and messages: "redis socket". */
    public function name(): string
    {
        return implode(', ', [
            $this->connection === null ? $this->store : $this->store . ' ' . $this->connection,
            ...array_values($this->settings),
        ]);
    }

    public function subject(string $table, Value $value, Operation $operation): Subject
    {
        return new Subject(
            $table,
            $this->store,
            $this->connection,
            $value->name,
            $value->bytes,
            $operation->value,
            settings: $this->settings,
        );
    }
}
