<?php

declare(strict_types=1);

namespace Larder\Cli\Compare;

/** A store that was asked for and could not be measured. */
final class NotMeasured
{
    /**
     * @param string $reason what is missing, and the command that would add it
     * @param array<string, string> $settings see Target
     */
    public function __construct(
        public readonly string $store,
        public readonly ?string $connection,
        public readonly string $reason,
        public readonly array $settings = [],
    ) {}
}
