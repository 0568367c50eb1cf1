<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

use Larder\Cli\Php;

/** A store to measure, in one way to reach it, with the PHP that it needs. */
final class Target
{
    /**
     * @param string $store the name that people choose it by: "redis"
     * @param string|null $connection "socket", "tcp", "tmpfs", "disk"; null for memory of this machine
     * @param string $address see Job
     * @param Kind $kind where it keeps its values
     */
    public function __construct(
        public readonly string $store,
        public readonly ?string $connection,
        #[\SensitiveParameter]
        public readonly string $address,
        public readonly Kind $kind,
        public readonly Php $php = new Php(),
    ) {}

    /** For progress and messages: "redis socket". */
    public function name(): string
    {
        return $this->connection === null ? $this->store : $this->store . ' ' . $this->connection;
    }
}
